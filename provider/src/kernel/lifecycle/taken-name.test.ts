import { describe, expect, it } from "vitest";
import { createResource, readResource, updateResource } from "../../test-support/operations.js";
import { errorOf, type Inputs, lostResponse, open, type Remote, service } from "../../test-support/thing.js";
import type { Kind } from "../definition/kind.js";

const allow = { "cloudservices:duplicates": "allow" };

describe("a derived name that exists already", () => {
  it("stops the creation, and the message names what a forced replacement needs", async () => {
    const { kind } = service();
    const left = open(kind);
    await createResource(left.scope, left.checked({}));
    const { scope, checked } = open(kind);
    expect(await errorOf(createResource(scope, checked({})))).toMatchObject({
      message: expect.stringMatching(
        /t1 already has.*\[NAME_IN_USE\].*in a forced replacement: .*deleteBeforeReplace: true/s,
      ),
    });
  });

  it.each(["kind", "unique"] as const)(
    "is replaced by the next candidate when duplicates are allowed, and nothing changes afterwards (%s)",
    async (which) => {
      const all = service();
      const kind = all[which];
      const left = open(kind);
      await createResource(left.scope, left.checked({}));
      for (const size of [2, 3]) {
        const { scope, checked, warnings } = open(kind, allow);
        const inputs = checked({});
        const { id, outputs } = await createResource(scope, inputs);
        expect(all.things.size).toBe(size);
        expect(new Set([...all.things.values()].map(({ name }) => name)).size).toBe(size);
        expect(warnings).not.toEqual([]);
        const calls = all.calls.length;
        expect(await updateResource(scope, id, outputs, checked({}, inputs))).toMatchObject({
          name: all.things.get(id)?.name,
        });
        expect(all.calls).toHaveLength(calls);
      }
    },
  );

  it("is replaced by the next candidate when the state contains the resource", async () => {
    const { kind, things } = service();
    const first = open(kind);
    const { id } = await createResource(first.scope, first.checked({}));
    const { scope, session, checked, warnings } = open(kind);
    session.claims.markManaged("Thing", id);
    await createResource(scope, checked({}));
    expect(things.size).toBe(2);
    expect(warnings).toEqual([]);
  });
});

describe("a substitute for a taken name, of a kind whose name can change in place", () => {
  const renamable = (all: ReturnType<typeof service>): Kind<Inputs, Remote> => ({
    ...all.kind,
    inputs: { ...all.kind.inputs, name: { ...all.kind.inputs.name, onChange: "update" } },
    update: async (_api, id, { name, colour }) => {
      all.calls.push("update");
      const [fault] = all.faults.splice(0, 1);
      if (fault) throw fault.error();
      return Object.assign(
        all.things.get(id) ?? {},
        name ? { name } : {},
        colour ? { colour } : {},
      ) as Remote;
    },
  });

  async function beside() {
    const all = service();
    const kind = renamable(all);
    const first = open(kind);
    await createResource(first.scope, first.checked({}));
    const { scope, checked } = open(kind, allow);
    const inputs = checked({});
    const { id, outputs } = await createResource(scope, inputs);
    const name = String(all.things.get(id)?.name);
    expect(name).not.toBe(inputs["name"]);
    return { ...all, scope, checked, inputs, id, outputs, name };
  }

  it("is replaced by a name that the program sets later", async () => {
    const { scope, checked, inputs, id, outputs, things, calls } = await beside();
    const given = checked({ name: "orders" }, inputs);
    const renamed = await updateResource(scope, id, outputs, given);
    expect(things.get(id)?.name).toBe("orders");
    expect(renamed).toMatchObject({ name: "orders" });
    calls.length = 0;
    await updateResource(scope, id, renamed, checked({ name: "orders" }, given));
    expect(calls).toEqual([]);
  });

  it("is kept when an update fails", async () => {
    const { scope, checked, inputs, id, outputs, name, faults } = await beside();
    faults.push({ on: "update", when: "before", error: lostResponse });
    const failed = await errorOf(updateResource(scope, id, outputs, checked({ colour: "blue" }, inputs)));
    expect(failed).toMatchObject({ outputs: { name } });
  });

  it("is repaired when it has drifted", async () => {
    const { scope, checked, inputs, id, outputs, things, calls } = await beside();
    Object.assign(things.get(id) ?? {}, { name: "drifted" });
    const kept = await readResource(scope, id, outputs);
    calls.length = 0;
    await updateResource(scope, id, kept?.outputs ?? {}, checked({}, { ...inputs, ...kept?.inputs }));
    expect(calls).toContain("update");
    expect(things.get(id)?.name).toBe(inputs["name"]);
  });
});
