import { describe, expect, it } from "vitest";
import { createResource, diff, readResource } from "../../test-support/operations.js";
import { errorOf, failing, type Inputs, open, type Remote, service } from "../../test-support/thing.js";
import type { Kind } from "../definition/kind.js";
import { PartialFailure } from "../diagnostics/errors.js";

describe("a resource that is adopted while it is failed", () => {
  it.each([true, false])("is never planned for replacement (with a change: %s)", async (changes) => {
    const all = service();
    const { id } = all.add({ name: "by-hand", colour: "red" });
    const kind = failing(all.kind);
    const { scope, checked, session } = open(kind);
    const inputs = checked({ adopt: id, colour: changes ? "blue" : "red" });
    const partial = await errorOf(createResource(scope, inputs));
    expect(partial).toBeInstanceOf(PartialFailure);
    if (!(partial instanceof PartialFailure)) return;
    expect(partial.message).not.toContain("replaces it");
    const refreshed = await readResource(scope, id, { ...partial.outputs });
    const { adopt: _removed, ...news } = inputs;
    for (const outputs of [partial.outputs, refreshed?.outputs ?? {}]) {
      const planned = diff(kind, { ...outputs }, news, session.settings, session.names, 0);
      expect(planned).toMatchObject({ changes: true, replaces: [] });
    }
    expect(all.things.size).toBe(1);
  });
});

describe("any error after the response", () => {
  const broken: Partial<Kind<Inputs, Remote>>[] = [
    { converge: async () => Promise.reject(new TypeError("converging broke")) },
    {
      outputs: {
        uri: {
          from: () => {
            throw new URIError("malformed");
          },
        },
      },
    },
    {
      readiness: {
        phase: () => {
          throw new TypeError("no phase");
        },
        status: () => "",
        reason: () => undefined,
        wait: async () => Promise.reject(new TypeError("waiting broke")),
      },
    },
    {
      identity: {
        by: ["name"],
        matches: () => {
          throw new TypeError("no match");
        },
      },
      id: (remote) => remote.id,
    },
  ];
  it.each(broken)("leaves the id in the state", async (part) => {
    const { kind, things } = service();
    const { scope, checked } = open({ ...kind, ...part });
    const end = await createResource(scope, checked({ colour: "red" })).catch((error: unknown) => error);
    expect(end).toMatchObject({
      [end instanceof PartialFailure ? "resourceId" : "id"]: [...things.keys()][0],
      outputs: { colour: "red", __state: { given: ["name", "colour"] } },
    });
  });
});
