import {
  ConflictError,
  ConnectionError,
  RouteMissingError,
  TimeoutError,
  UnreadableResponseError,
} from "cloudservices-sdk";
import { describe, expect, it } from "vitest";
import { listOf } from "../../test-support/list.js";
import { createResource } from "../../test-support/operations.js";
import { errorOf, facts, failing, lostResponse, open, service, urn } from "../../test-support/thing.js";
import { PartialFailure } from "../diagnostics/errors.js";

describe("creating exactly once", () => {
  it("reports what may exist when the response and the listing after it are lost", async () => {
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
  ])("continues with the id from %s response", async (_, error) => {
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

  it("sends one request when the service has no list", async () => {
    const { kind, faults, things } = service();
    const { scope, checked } = open(kind);
    const missing = () => new RouteMissingError({ message: "no such route", outcome: "rejected" });
    faults.push({ on: "list", when: "before", error: missing });
    await createResource(scope, checked({}));
    expect(things.size).toBe(1);
  });

  it("rejects a duplicate of a given name, unless the stack allows duplicates", async () => {
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

  it("allows one program to declare a name twice, and a replacement to have its predecessor's name", async () => {
    const { kind, things, add } = service();
    const predecessor = add({ name: "orders" });
    const { scope, checked, session } = open(kind);
    session.claims.claim(kind.name, predecessor.id, "its entry", "Thing");
    await Promise.all([
      createResource(scope, checked({ name: "orders" })),
      createResource(scope, { ...checked({ name: "orders" }), __urn: `${urn}-2` }),
    ]);
    expect(things.size).toBe(3);
  });

  it("rejects a given name that an interrupted replacement left", async () => {
    const { kind, things, add } = service();
    const predecessor = add({ name: "orders" });
    const stray = add({ name: "orders" });
    const { scope, checked, session } = open(kind);
    session.claims.claim(kind.name, predecessor.id, "its entry", "Thing");
    checked({ name: "orders", colour: "red" }, { name: "orders" });
    const said = await errorOf(createResource(scope, checked({ name: "orders", colour: "red" })));
    expect(said).toMatchObject({
      message: expect.stringContaining(`already has ${stray.id} with the same name [POSSIBLE_DUPLICATE]`),
    });
    expect(said).toMatchObject({ message: expect.stringContaining(`delete ${stray.id} at the service`) });
    expect(things.size).toBe(2);
  });

  it("suggests no adoption after a lost response in a replacement", async () => {
    const { kind, faults, things, add } = service();
    const predecessor = add({ name: "orders" });
    for (const list of [kind.list, () => listOf(Promise.resolve([]))]) {
      const { scope, checked, session } = open({ ...kind, ...(list && { list }) });
      session.claims.claim(kind.name, predecessor.id, "its entry", "Thing");
      checked({ name: "goods" }, { name: "orders" });
      session.claims.noteExisting(urn, predecessor.id);
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

  it("takes no other candidate after a lost response, because a listing may be stale", async () => {
    const { unique, faults, things } = service();
    const { scope, checked } = open({ ...unique, list: () => listOf(Promise.resolve([])) });
    faults.push({ on: "create", when: "after", error: lostResponse });
    expect(await errorOf(createResource(scope, checked({})))).toMatchObject({
      message: expect.stringContaining("[CREATE_OUTCOME_UNKNOWN]"),
    });
    expect(things.size).toBe(1);
  });

  it("reports a conflict about another field", async () => {
    const { unique, faults, calls } = service();
    const { scope, checked } = open(unique);
    const said = {
      message: "The colour is another account's.",
      outcome: "rejected",
      field: "colour",
    } as const;
    faults.push({ on: "create", when: "before", error: () => new ConflictError(said) });
    expect(await errorOf(createResource(scope, checked({ colour: "red" })))).toMatchObject({
      message: expect.stringMatching(/: The colour is another account's\. \[CREATE_FAILED\]/),
    });
    expect(calls).toEqual(["create"]);
  });

  it("reports what a conflict says that names no field, because it may be about another one", async () => {
    const { unique, faults } = service();
    const { scope, checked } = open(unique);
    const said = { message: "The colour is another account's.", outcome: "rejected" } as const;
    faults.push({ on: "create", when: "before", error: () => new ConflictError(said) });
    expect(await errorOf(createResource(scope, checked({ name: "web" })))).toMatchObject({
      message: expect.stringMatching(/"web" is taken.*The colour is another account's\./s),
    });
  });

  it("does not claim a resource from before its request", async () => {
    const { unique, faults, add } = service();
    const { scope, checked, session } = open(unique);
    const inputs = checked({});
    const old = add({ name: String(inputs["name"]) });
    Object.assign(old, { createdAt: new Date(0).toISOString() });
    faults.push({ on: "create", when: "before", error: lostResponse });
    expect(await errorOf(createResource(scope, inputs))).toMatchObject({
      message: expect.stringContaining(old.id),
    });
    expect(session.claims.isManaged("Thing", old.id)).toBe(false);
  });
});

describe("a creation that fails permanently", () => {
  it("leaves nothing, so that a replacement does not mistake it for a successor", async () => {
    const { kind, things } = service();
    const { scope, checked } = open(failing(kind));
    const error = await errorOf(createResource(scope, checked({})));
    expect(error).not.toBeInstanceOf(PartialFailure);
    expect(error).toMatchObject({
      message: expect.stringMatching(/\[PROVISIONING_FAILED\].*no capacity.* was deleted/s),
    });
    expect(things.size).toBe(0);
  });
});

describe("a creation without a response", () => {
  it("is not retried, because it may still succeed", async () => {
    const { kind, faults, calls } = service();
    const { scope, checked } = open(kind);
    faults.push({ on: "create", when: "before", error: lostResponse });
    expect(await errorOf(createResource(scope, checked({})))).toMatchObject({
      message: expect.stringContaining("[CREATE_OUTCOME_UNKNOWN]"),
    });
    expect(calls.filter((call) => call === "create")).toHaveLength(1);
  });
});
