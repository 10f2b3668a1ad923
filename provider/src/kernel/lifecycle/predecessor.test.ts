import { RouteMissingError } from "cloudservices-sdk";
import { describe, expect, it } from "vitest";
import { createResource, deleteResource, readResource } from "../../test-support/operations.js";
import { errorOf, type Inputs, open, type Remote, service, urn } from "../../test-support/thing.js";
import type { Kind } from "../definition/kind.js";
import { operationOf } from "../engine/dynamic/class-inputs.js";
import { readState } from "../state/resource-state.js";
import { notePredecessor } from "./predecessor.js";

const rotated = { "cloudservices:apiKey": "another" };
const documented = { ...rotated, "cloudservices:api": "documented", "cloudservices:undeletable": "abandon" };

/** A resource that one key has created, and a later run that replaces it with another key. */
async function replacing(change = (kind: Kind<Inputs, Remote>) => kind, config = {}) {
  const all = service();
  const first = open(all.kind);
  const { id, outputs } = await createResource(first.scope, first.checked({ name: "one", colour: "red" }));
  const later = open(change(all.kind), { ...rotated, ...config });
  all.calls.length = 0;
  return {
    ...all,
    ...later,
    id,
    outputs,
    plan: (isReplaced = true) =>
      notePredecessor(operationOf(later.scope, { __urn: urn }), { id, outputs }, isReplaced),
    successor: () => createResource(later.scope, later.checked({ name: "two" })),
  };
}

describe("a replacement after a change of the key", () => {
  it("reads the predecessor once, creates the successor, and deletes the predecessor", async () => {
    const { plan, successor, scope, id, outputs, things, calls, warnings } = await replacing();
    plan();
    expect(warnings).toEqual([expect.stringMatching(/The API key has changed\. Before a replacement/)]);
    expect(calls).toEqual([]);
    await successor();
    await deleteResource(scope, id, outputs);
    expect([...things.values()].map(({ name }) => name)).toEqual(["two"]);
    expect(calls).toEqual(["list", "list", "create", "delete"]);
  });

  it.each([true, false])(
    "creates nothing when the key of another account finds nothing (%s)",
    async (planned) => {
      // With the option `replaceOnChanges`, the engine replaces more than the diff.
      const { plan, successor, things, id, calls } = await replacing();
      things.delete(id);
      plan(planned);
      expect(await errorOf(successor())).toMatchObject({
        message: expect.stringMatching(
          /Thing "thing" \(t1\) .*\[KEY_CHANGED\].*cloudservices:acceptKeyChange true/s,
        ),
      });
      expect(calls).not.toContain("create");
    },
  );

  it("creates nothing when the predecessor cannot be read", async () => {
    const missing = () =>
      Promise.reject(new RouteMissingError({ message: "no such route", outcome: "rejected" }));
    const { plan, successor, calls } = await replacing(({ list: _, ...kind }) => ({
      ...kind,
      read: missing,
    }));
    plan();
    expect(await errorOf(successor())).toMatchObject({
      message: expect.stringContaining("cloudservices:acceptKeyChange true"),
    });
    expect(calls).not.toContain("create");
  });

  it("is rejected by the plan when no documented request reads the kind", async () => {
    const { plan } = await replacing(undefined, documented);
    expect(() => plan()).toThrow(
      /\[KEY_CHANGED\].*no request can read the old resource.*cloudservices:acceptKeyChange true/s,
    );
    const accepted = await replacing(undefined, { ...documented, "cloudservices:acceptKeyChange": "true" });
    accepted.plan();
    await accepted.successor();
    expect(accepted.calls).toEqual(["create"]);
  });

  it("needs no read when the predecessor was deleted first, or is never deleted", async () => {
    const { plan, successor, scope, id, outputs, calls } = await replacing();
    plan();
    await deleteResource(scope, id, outputs);
    await successor();
    expect(calls).toEqual(["delete", "list", "create"]);
    const lasting = await replacing(({ delete: _, ...kind }) => kind);
    lasting.plan();
    await lasting.successor();
    expect(lasting.calls).toEqual(["list", "create"]);
  });

  it("names the successor when a forced replacement, which has no diff, cannot delete the old one", async () => {
    const { successor, scope, id, outputs, things, calls } = await replacing();
    things.delete(id);
    const made = await successor();
    expect(await errorOf(deleteResource(scope, id, outputs))).toMatchObject({
      message: expect.stringMatching(
        `^Thing "thing" \\(${id}\\) was not found .*, after ${made.id} replaced it \\[KEY_CHANGED\\]`,
      ),
    });
    expect(things.size).toBe(1);
    expect(calls).not.toContain("update");
  });

  it("needs no existing predecessor when that has expired", async () => {
    const { plan, successor, things, id } = await replacing((kind) => ({ ...kind, expired: () => ({}) }));
    things.delete(id);
    plan();
    await successor();
    expect([...things.values()].map(({ name }) => name)).toEqual(["two"]);
  });
});

describe("the key that a resource was last seen with", () => {
  const keyOf = (outputs: Record<string, unknown> | undefined) => readState(outputs ?? {})?.key;

  it("is the new one after a probe has found it", async () => {
    const probe = async () => undefined;
    const { scope, id, outputs } = await replacing(
      (kind) => ({ ...kind, documented: { probe } }),
      documented,
    );
    const found = await readResource(scope, id, outputs);
    expect(keyOf(found?.outputs)).not.toBe(keyOf(outputs));
  });

  it("stays the old one when nothing can be read, until acceptKeyChange", async () => {
    const { scope, id, outputs } = await replacing(undefined, documented);
    expect(keyOf((await readResource(scope, id, outputs))?.outputs)).toBe(keyOf(outputs));
    const accepted = await replacing(undefined, { ...documented, "cloudservices:acceptKeyChange": "true" });
    expect(keyOf((await readResource(accepted.scope, accepted.id, accepted.outputs))?.outputs)).not.toBe(
      keyOf(outputs),
    );
  });
});
