import {
  ConflictError,
  ConnectionError,
  FailedStateError,
  RouteMissingError,
  TimeoutError,
  UnreadableResponseError,
} from "cloudservices-sdk";
import { describe, expect, it } from "vitest";
import {
  errorOf,
  facts,
  type Inputs,
  listOf,
  lostResponse,
  open,
  type Remote,
  service,
  urn,
} from "../../testing/thing.js";
import type { Kind } from "../definition/kind.js";
import { PartialFailure } from "../diagnostics/errors.js";
import { entryOf } from "../state/resource-state.js";
import { createResource } from "./create.js";
import { deleteResource } from "./delete.js";
import { readResource } from "./read.js";
import { updateResource } from "./update.js";

describe("creating exactly once", () => {
  it("says what may exist when neither the answer nor the listing after it came", async () => {
    const { kind, faults, calls } = service();
    const { scope, checked } = open(kind);
    await scope.existing();
    faults.push(
      { on: "create", when: "after", error: lostResponse },
      { on: "list", when: "before", error: lostResponse },
    );
    expect(await errorOf(createResource(scope, checked({})))).toMatchObject({
      message: expect.stringContaining("[CREATE_OUTCOME_UNKNOWN]"),
    });
    expect(calls.filter((call) => call === "create")).toHaveLength(1);
  });

  it.each([
    ["an unreadable", () => new UnreadableResponseError(facts, [], "t1")],
    ["a cut", () => new ConnectionError({ ...facts, resourceId: "t1" })],
    ["a slow", () => new TimeoutError({ ...facts, resourceId: "t1" })],
  ])("goes on with the id that %s answer has shown", async (_, error) => {
    const { kind, faults, calls } = service();
    const { naming: _name, identity: _none, ...unnamed } = kind;
    const { scope, checked } = open(unnamed);
    faults.push({ on: "create", when: "after", error });
    expect(await createResource(scope, checked({ colour: "red" }))).toMatchObject({
      id: "t1",
      outputs: { colour: "red" },
    });
    expect(calls).toEqual(["create", "read"]);
  });

  it("sends once only where the service turns out to have no list", async () => {
    const { kind, faults, things } = service();
    const { scope, checked } = open(kind);
    const missing = () => new RouteMissingError({ message: "no such route", outcome: "rejected" });
    faults.push({ on: "list", when: "before", error: missing });
    await createResource(scope, checked({}));
    expect(things.size).toBe(1);
  });

  it("makes no second one of a name that the program gave, unless the stack allows duplicates", async () => {
    const { kind, things, add } = service();
    const left = add({ name: "orders" });
    const { scope, checked } = open(kind);
    expect(await errorOf(createResource(scope, checked({ name: "orders" })))).toMatchObject({
      message: expect.stringMatching(
        /already has t1 with the same name.*\[POSSIBLE_DUPLICATE\].*adopt: "t1".*cloudservices:duplicates/s,
      ),
    });
    expect([...things.keys()]).toEqual([left.id]);

    const lenient = open(kind, { "cloudservices:duplicates": "allow" });
    await createResource(lenient.scope, lenient.checked({ name: "orders" }));
    expect(things.size).toBe(2);
  });

  it("lets one program declare two of the same name, and a replacement have its predecessor's", async () => {
    const { kind, things, add } = service();
    const predecessor = add({ name: "orders" });
    const { scope, checked, session } = open(kind);
    session.claim(kind.name, predecessor.id, "its entry", "Thing");
    await Promise.all([
      createResource(scope, checked({ name: "orders" })),
      createResource(scope, { ...checked({ name: "orders" }), __urn: `${urn}-2` }),
    ]);
    expect(things.size).toBe(3);
  });

  it("makes nothing in the place of what an interrupted replacement has left under a given name", async () => {
    const { kind, things, add } = service();
    const predecessor = add({ name: "orders" });
    const stray = add({ name: "orders" });
    const { scope, checked, session } = open(kind);
    session.claim(kind.name, predecessor.id, "its entry", "Thing");
    checked({ name: "orders", colour: "red" }, { name: "orders" });
    const said = await errorOf(createResource(scope, checked({ name: "orders", colour: "red" })));
    expect(said).toMatchObject({
      message: expect.stringContaining(`already has ${stray.id} with the same name [POSSIBLE_DUPLICATE]`),
    });
    expect(said).toMatchObject({ message: expect.stringContaining(`delete ${stray.id} at the service`) });
    expect(things.size).toBe(2);
  });

  it("offers after a lost answer in a replacement what the next run allows: no adoption", async () => {
    const { kind, faults, things, add } = service();
    const predecessor = add({ name: "orders" });
    for (const list of [kind.list, () => listOf(Promise.resolve([]))]) {
      const { scope, checked, session } = open({ ...kind, ...(list && { list }) });
      session.claim(kind.name, predecessor.id, "its entry", "Thing");
      checked({ name: "goods" }, { name: "orders" });
      session.names.known(urn, predecessor.id);
      faults.push({ on: "create", when: "after", error: lostResponse });
      const said = await errorOf(createResource(scope, checked({ name: "goods" })));
      const [stray] = [...things.values()].filter(({ name }) => name === "goods");
      const where = list === kind.list ? `${stray?.id} may be it` : `other than ${predecessor.id},`;
      expect(said).toMatchObject({ message: expect.stringContaining(where) });
      expect(said).toMatchObject({
        message: expect.stringMatching(/delete \w+ at the service, then pulumi up/),
      });
      expect(said).toMatchObject({ message: expect.not.stringContaining("adopt") });
      things.delete(stray?.id ?? "");
    }
  });

  it("takes no other candidate after a lost answer, because a listing may lag behind", async () => {
    const { unique, faults, things } = service();
    const { scope, checked } = open({ ...unique, list: () => listOf(Promise.resolve([])) });
    faults.push({ on: "create", when: "after", error: lostResponse });
    expect(await errorOf(createResource(scope, checked({})))).toMatchObject({
      message: expect.stringContaining("[CREATE_OUTCOME_UNKNOWN]"),
    });
    expect(things.size).toBe(1);
  });

  it("takes a conflict about another field for what it is", async () => {
    const { unique, faults, calls } = service();
    const { scope, checked } = open(unique);
    const said = { message: "The colour is somebody else's.", outcome: "rejected", field: "colour" } as const;
    faults.push({ on: "create", when: "before", error: () => new ConflictError(said) });
    expect(await errorOf(createResource(scope, checked({ colour: "red" })))).toMatchObject({
      message: expect.stringMatching(/: The colour is somebody else's\. \[CREATE_FAILED\]/),
    });
    expect(calls).toEqual(["create"]);
  });

  it("does not take what was there before its request for its own", async () => {
    const { unique, faults, add } = service();
    const { scope, checked, session } = open(unique);
    const inputs = checked({});
    const old = add({ name: String(inputs["name"]) });
    Object.assign(old, { createdAt: new Date(0).toISOString() });
    faults.push({ on: "create", when: "before", error: lostResponse });
    expect(await errorOf(createResource(scope, inputs))).toMatchObject({
      message: expect.stringContaining(old.id),
    });
    expect(session.isManaged("Thing", old.id)).toBe(false);
  });
});

describe("a creation that has failed for good", () => {
  it("leaves nothing, so that no replacement takes it for a successor", async () => {
    const { kind, things } = service();
    const failing: Kind<Inputs, Remote> = {
      ...kind,
      readiness: {
        phase: () => "failed",
        status: () => "failed",
        reason: () => "no capacity",
        wait: async () => {
          throw new FailedStateError({ message: "it failed: no capacity" }, "failed");
        },
        waitUntilDeleted: async () => undefined,
      },
    };
    const { scope, checked } = open(failing);
    const error = await errorOf(createResource(scope, checked({})));
    expect(error).not.toBeInstanceOf(PartialFailure);
    expect(error).toMatchObject({
      message: expect.stringMatching(/\[PROVISIONING_FAILED\].*no capacity.* was deleted/s),
    });
    expect(things.size).toBe(0);
  });
});

describe("an update that fails for good", () => {
  it("replaces nothing by itself, and names the line that does", async () => {
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

describe("a creation without an answer", () => {
  it("is never sent again: it may still be carried out", async () => {
    const { kind, faults, calls } = service();
    const { scope, checked } = open(kind);
    faults.push({ on: "create", when: "before", error: lostResponse });
    expect(await errorOf(createResource(scope, checked({})))).toMatchObject({
      message: expect.stringContaining("[CREATE_OUTCOME_UNKNOWN]"),
    });
    expect(calls.filter((call) => call === "create")).toHaveLength(1);
  });
});

describe("an update without an answer", () => {
  it("is sent again by the next run, even where the program has been put back", async () => {
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

describe("adopting", () => {
  it("that ended before its changes were sent sends them on the next run", async () => {
    const { kind, faults, add, calls } = service();
    const { scope, checked } = open(kind);
    const { id } = add({ name: "by-hand", colour: "red" });
    const inputs = checked({ adopt: id, colour: "blue", hidden: "h" });
    faults.push({ on: "update", when: "before", error: lostResponse });
    const partial = await errorOf(createResource(scope, inputs));
    expect(partial).toBeInstanceOf(PartialFailure);
    if (!(partial instanceof PartialFailure)) return;
    calls.length = 0;
    const next = checked({ adopt: id, colour: "blue", hidden: "h" }, inputs);
    expect(await updateResource(scope, id, { ...partial.outputs }, next)).toMatchObject({
      colour: "blue",
      hidden: "h",
    });
    expect(calls).toContain("update");
  });

  it("names what the service does not show and only a new resource could change, because it is believed", async () => {
    const { kind, add } = service();
    const hidden: Kind<Inputs, Remote> = {
      ...kind,
      inputs: { ...kind.inputs, hidden: { ...kind.inputs.hidden, onChange: "replace" } },
    };
    const { id } = add({ name: "by-hand", colour: "red" });
    const open1 = open(hidden);
    await createResource(open1.scope, open1.checked({ adopt: id, colour: "red", hidden: "h" }));
    expect(open1.warnings).toEqual([
      expect.stringMatching(/^Thing "thing" \(t1\) was adopted\. .* its hidden, .*`pulumi state delete`/),
    ]);
    const open2 = open(hidden);
    await createResource(open2.scope, open2.checked({ adopt: id, colour: "red" }));
    expect(open2.warnings).toEqual([]);
  });

  it("refuses what no documented request could change, and names what nobody can see", async () => {
    const { kind, add, calls } = service();
    const { scope, checked, warnings } = open(
      { ...kind, documented: { list: true } },
      { "cloudservices:api": "documented" },
    );
    const { id } = add({ name: "by-hand", colour: "red" });
    expect(await errorOf(createResource(scope, checked({ adopt: id, colour: "blue" })))).toMatchObject({
      message: expect.stringMatching(
        /its colour differs.*\[ADOPT_MISMATCH\].* no request that updates a Thing .* Nothing was done/s,
      ),
    });
    expect(warnings).toEqual([]);
    const { outputs } = await createResource(scope, checked({ adopt: id, colour: "red", hidden: "h" }));
    expect(outputs).toMatchObject({ colour: "red", hidden: "h" });
    expect(warnings).toEqual([expect.stringContaining("does not return its hidden")]);
    expect(calls).not.toContain("update");
  });
});

describe("a resource that the program only reads", () => {
  it("of what does not exist says how to create a new one", async () => {
    const { kind } = service();
    const { scope, checked } = open(kind);
    expect(await errorOf(createResource(scope, checked({ adopt: "t9", colour: "red" })))).toMatchObject({
      message: expect.stringMatching(
        /\(t9\) .*\[ADOPT_NOT_FOUND\].* remove `adopt` from the program, then pulumi up/s,
      ),
    });
  });

  it("can be adopted in the run that refreshes it", async () => {
    const { kind, add } = service();
    const { id } = add({ name: "by-hand", colour: "red" });
    const first = await readResource(open(kind).scope, id, { __urn: urn });
    expect(first?.outputs).toMatchObject({ colour: "red" });
    const { scope, checked } = open(kind);
    const refreshed = await readResource(scope, id, first?.outputs ?? {});
    expect(refreshed?.outputs).toEqual(first?.outputs);
    expect(await createResource(scope, checked({ adopt: id, colour: "red" }))).toMatchObject({ id });
  });

  it("cannot be adopted a second time where it is managed as well", async () => {
    const { kind } = service();
    const first = open(kind);
    const { id, outputs } = await createResource(first.scope, first.checked({ colour: "red" }));
    const { scope, checked } = open(kind);
    await readResource(scope, id, outputs);
    await readResource(scope, id, {});
    expect(await errorOf(createResource(scope, checked({ adopt: id })))).toMatchObject({
      message: expect.stringContaining("[ALREADY_MANAGED]"),
    });
  });
});

describe("taking over what an interrupted run has left", () => {
  const allowed = { "cloudservices:adoptInterrupted": "true" };

  it("takes away what the program no longer gives, also where the first try fails", async () => {
    const { kind, faults } = service();
    const sent: unknown[] = [];
    const watched: Kind<Inputs, Remote> = {
      ...kind,
      update: (api, id, changes, context) => {
        sent.push(changes);
        return kind.update?.(api, id, changes, context) ?? Promise.resolve(undefined);
      },
    };
    const interrupted = open(watched);
    await createResource(interrupted.scope, interrupted.checked({ colour: "red", hidden: "h" }));
    const { scope, checked } = open(watched, allowed);
    const inputs = checked({ colour: "red" });
    faults.push({ on: "update", when: "before", error: lostResponse });
    const partial = await errorOf(createResource(scope, inputs));
    expect(sent).toEqual([{ hidden: null }]);
    expect(partial).toBeInstanceOf(PartialFailure);
    if (!(partial instanceof PartialFailure)) return;
    const refreshed = await readResource(scope, partial.resourceId, { ...partial.outputs });
    await updateResource(
      scope,
      partial.resourceId,
      refreshed?.outputs ?? {},
      checked({ colour: "red" }, inputs),
    );
    expect(sent).toEqual([{ hidden: null }, { hidden: null }]);
  });

  it("takes away nothing from what the program adopts by its id", async () => {
    const { kind, add, calls } = service();
    const { scope, checked } = open(kind, allowed);
    const { id } = add({ name: "by-hand", colour: "red" });
    await createResource(scope, checked({ adopt: id }));
    expect(calls).toEqual(["read"]);
  });

  it("refuses what could only be made right by a new resource, and leaves it alone", async () => {
    const { kind, calls } = service();
    const fixed: Kind<Inputs, Remote> = {
      ...kind,
      inputs: { ...kind.inputs, colour: { ...kind.inputs.colour, onChange: "replace" } },
    };
    const interrupted = open(fixed);
    await createResource(interrupted.scope, interrupted.checked({ colour: "red" }));
    const { scope, checked, session, warnings } = open(fixed, allowed);
    calls.length = 0;
    expect(await errorOf(createResource(scope, checked({ colour: "blue" })))).toMatchObject({
      message: expect.stringMatching(/its colour differs from the program \[ADOPT_MISMATCH\]/),
    });
    expect(calls.filter((call) => call !== "list" && call !== "read")).toEqual([]);
    expect(session.isManaged("Thing", "t1")).toBe(false);
    expect(warnings).toEqual([]);
  });
});

describe("the memory of a resource", () => {
  it("is not stamped with another key by an update that asks nobody", async () => {
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

  it("takes a resource that has worked as ready, whatever it is doing at the moment", async () => {
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

describe("a resource whose creation was answered without an id", () => {
  const nameless = ({ kind, add, calls }: ReturnType<typeof service>): Kind<Inputs, Remote> => ({
    ...kind,
    create: async (_api, inputs) => {
      calls.push("create");
      return { ...add(inputs), id: "" };
    },
  });

  it("is found by what it is in the listing", async () => {
    const all = service();
    const { scope, checked } = open(nameless(all));
    expect((await createResource(scope, checked({}))).id).toBe("t1");
  });

  it("is never asked about by a made-up id, and never taken to be gone", async () => {
    const all = service();
    const { scope, checked } = open({ ...nameless(all), list: () => listOf(Promise.resolve([])) });
    const { id, outputs } = await createResource(scope, checked({ colour: "red" }));
    expect(id).toBe(`unnamed:${urn}`);
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

it("an answer about another resource is not believed", async () => {
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

it("an update brings about what was asked for, and nothing beside it", async () => {
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

describe("deleting", () => {
  it("takes a lost answer for nothing, and looks again", async () => {
    const { kind, faults, things, calls } = service();
    const { scope, checked } = open(kind);
    const { id, outputs } = await createResource(scope, checked({}));
    faults.push({ on: "delete", when: "after", error: lostResponse });
    await deleteResource(scope, id, outputs);
    expect(things.size).toBe(0);
    expect(calls.filter((call) => call === "delete")).toHaveLength(2);
  });

  it("leaves what another resource of the program has by now", async () => {
    const { kind, things } = service();
    const { scope, session, checked } = open(kind);
    const { id, outputs } = await createResource(scope, checked({}));
    const later = open(kind);
    later.session.claim("Thing", id, "another entry", "Thing");
    await deleteResource(later.scope, id, outputs);
    expect(things.size).toBe(1);
    expect(later.warnings).toEqual([expect.stringContaining("another resource of the program has it now")]);
    await deleteResource(scope, id, outputs);
    expect(things.size).toBe(0);
    expect(session.isManaged("Thing", id)).toBe(true);
  });

  it("says nothing of what has no deletion, however many resources share the id", async () => {
    const { delete: _none, ...lasting } = service().kind;
    const { scope, session, checked, warnings } = open(lasting);
    const { id, outputs } = await createResource(scope, checked({}));
    session.claim("Thing", id, "another entry", "Thing");
    await deleteResource(scope, id, outputs);
    expect(warnings).toEqual([]);
  });

  it("deletes a predecessor, whatever it was called, and not what another entry of the same id goes on having", async () => {
    const { kind, things } = service();
    const { scope, checked } = open(kind);
    const { id, outputs } = await createResource(scope, checked({}));
    const twin = { ...outputs, __state: { ...Object(outputs["__state"]), entry: "of another" } };
    const later = open(kind);
    later.session.claim("Thing", id, entryOf(outputs), "Thing");
    await deleteResource(later.scope, id, twin);
    expect(things.size).toBe(1);
    await deleteResource(later.scope, id, { ...outputs, __urn: `${urn}-renamed` });
    expect(things.size).toBe(0);
  });

  it("leaves the successor of a resource that is known by the same id", async () => {
    const { kind, things } = service();
    const idempotent: Kind<Inputs, Remote> = { ...kind, createIsIdempotent: true };
    const { scope, checked } = open(idempotent);
    const { id, outputs } = await createResource(scope, checked({}));
    await deleteResource(scope, id, outputs);
    expect(things.size).toBe(1);
  });
});
