import { FailedStateError } from "cloudservices-sdk";
import { describe, expect, it } from "vitest";
import { createResource, readResource, updateResource } from "../../test-support/operations.js";
import {
  errorOf,
  type Inputs,
  lostResponse,
  open,
  type Remote,
  service,
  urn,
} from "../../test-support/thing.js";
import type { Kind } from "../definition/kind.js";
import { PartialFailure } from "../diagnostics/errors.js";

describe("an update that fails permanently", () => {
  it("does not replace the resource, and names the command that does", async () => {
    const { kind } = service();
    let phase: "ready" | "failed" = "ready";
    const failing: Kind<Inputs, Remote> = {
      ...kind,
      readiness: {
        phase: () => phase,
        status: () => phase,
        reason: () => "no capacity",
        wait: async () => {
          throw new FailedStateError({ message: "it failed: no capacity" }, "failed");
        },
      },
    };
    const { scope, checked } = open(failing);
    const first = checked({ colour: "red" });
    const { id, outputs } = await createResource(scope, first);
    phase = "failed";
    expect(
      await errorOf(updateResource(scope, id, outputs, checked({ colour: "blue" }, first))),
    ).toMatchObject({
      message: expect.stringContaining(`: pulumi up --replace '${urn}'`),
      outputs: { __state: { everReady: true } },
    });
  });
});

describe("an update without a response", () => {
  it("is repeated by the next run, even if the program is reverted", async () => {
    const { kind, faults, calls } = service();
    const { scope, checked } = open(kind);
    const first = checked({ hidden: "one" });
    const { id, outputs } = await createResource(scope, first);
    const second = checked({ hidden: "two" }, first);
    faults.push({ on: "update", when: "after", error: lostResponse });
    const partial = await errorOf(updateResource(scope, id, outputs, second));
    expect(partial).toBeInstanceOf(PartialFailure);
    if (!(partial instanceof PartialFailure)) return;
    const refreshed = await readResource(scope, id, { ...partial.outputs });
    calls.length = 0;
    const ready = await updateResource(
      scope,
      id,
      refreshed?.outputs ?? {},
      checked({ hidden: "one" }, first),
    );
    expect(calls).toContain("update");
    expect(ready).toMatchObject({ __state: { ready: true } });
    expect(ready["__state"]).not.toHaveProperty("uncertain");
  });
});

it("an update applies only the requested changes", async () => {
  const { kind, calls } = service();
  const converging: Kind<Inputs, Remote> = {
    ...kind,
    inputs: { ...kind.inputs, hidden: { ...kind.inputs.hidden, converges: true } },
    converge: async (_api, remote) => {
      calls.push("converge");
      return remote;
    },
  };
  const { scope, checked } = open(converging);
  const { id, outputs } = await createResource(scope, checked({ colour: "red", hidden: "a" }));
  calls.length = 0;
  const after = await updateResource(scope, id, outputs, checked({ colour: "blue", hidden: "a" }, outputs));
  expect(calls).toEqual(["update"]);
  await updateResource(scope, id, after, checked({ colour: "blue", hidden: "b" }, after));
  expect(calls).toEqual(["update", "update", "converge"]);
});
