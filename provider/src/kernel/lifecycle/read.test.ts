import { describe, expect, it } from "vitest";
import { listOf } from "../../test-support/list.js";
import { createResource, readResource, updateResource } from "../../test-support/operations.js";
import { errorOf, type Inputs, lostResponse, open, type Remote, service } from "../../test-support/thing.js";
import type { Kind } from "../definition/kind.js";

describe("the stored state of a resource", () => {
  it("keeps its API key after an update without requests", async () => {
    const { kind, things } = service();
    const first = open(kind);
    const { id, outputs } = await createResource(first.scope, first.checked({}));
    const later = open(kind, { "cloudservices:apiKey": "another" });
    const news = later.checked({ customTimeouts: { create: "1h" } }, outputs);
    const updated = await updateResource(later.scope, id, outputs, news);
    things.clear();
    expect(await errorOf(readResource(later.scope, id, updated))).toMatchObject({
      message: expect.stringContaining("[KEY_CHANGED]"),
    });
  });

  it("keeps a resource ready that has been ready, whatever its current status", async () => {
    const { kind } = service();
    const slow: Kind<Inputs, Remote> = {
      ...kind,
      readiness: {
        phase: () => "pending",
        status: () => "rebooting",
        reason: () => undefined,
        wait: (api, id) => kind.read(api, id),
        waitUntilDeleted: async () => undefined,
      },
    };
    const { scope, checked } = open(slow);
    const { id, outputs } = await createResource(scope, checked({}));
    expect((await readResource(scope, id, outputs))?.outputs).toMatchObject({ __state: { ready: true } });
  });
});

it("a response about another resource is rejected", async () => {
  const { kind, add } = service();
  const { scope, checked } = open(kind);
  const { id, outputs } = await createResource(scope, checked({ colour: "red" }));
  const other = add({ name: "other", colour: "blue" });
  const confused = open({
    ...kind,
    list: () => listOf(Promise.reject(lostResponse())),
    read: async () => other,
  });
  expect(await errorOf(readResource(confused.scope, id, outputs))).toMatchObject({
    message: expect.stringContaining(`responded with ${other.id} instead [WRONG_RESOURCE]`),
  });
});
