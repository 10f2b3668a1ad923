import { describe, expect, it } from "vitest";
import { listOf } from "../../test-support/list.js";
import {
  createResource,
  deleteResource,
  readResource,
  updateResource,
} from "../../test-support/operations.js";
import { errorOf, type Inputs, open, type Remote, service, urn } from "../../test-support/thing.js";
import type { Kind } from "../definition/kind.js";

describe("a resource whose creation returned no id", () => {
  const nameless = ({ kind, add, calls }: ReturnType<typeof service>): Kind<Inputs, Remote> => ({
    ...kind,
    create: async (_api, inputs) => {
      calls.push("create");
      return { ...add(inputs), id: "" };
    },
  });

  it("is found in the listing by its identity", async () => {
    const all = service();
    const { scope, checked } = open(nameless(all));
    expect((await createResource(scope, checked({}))).id).toBe("t1");
  });

  it("is never requested by its placeholder id, and never treated as deleted", async () => {
    const all = service();
    const opened = open({ ...nameless(all), list: () => listOf(Promise.resolve([])) });
    const { scope, checked } = opened;
    const { id, outputs } = await createResource(scope, checked({ colour: "red" }));
    expect(id).toBe(`unnamed:${urn}`);
    expect(opened.warnings).toEqual([
      expect.stringMatching(
        /^Thing "thing": the service did not return its id.*no run can update or delete it/,
      ),
    ]);
    expect(await readResource(scope, id, outputs)).toMatchObject({ id });
    const changed = { ...checked({ colour: "blue" }, outputs) };
    expect(await errorOf(updateResource(scope, id, outputs, changed))).toMatchObject({
      message: expect.stringMatching(/the service did not return its id.*\[ID_UNKNOWN\]/),
    });
    expect(await errorOf(deleteResource(scope, id, outputs))).toMatchObject({
      message: expect.stringMatching(/the service did not return its id.*\[DELETE_UNSUPPORTED\]/),
    });
    expect(all.calls).toEqual(["create"]);
    expect(all.things.size).toBe(1);
  });
});
