import {
  BadRequestError,
  type CloudServicesError,
  ConnectionError,
  NotFoundError,
  PermissionError,
  RouteMissingError,
  ServerError,
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
import { check } from "../plan/check.js";
import { createResource } from "./create.js";
import { readResource } from "./read.js";
import { updateResource } from "./update.js";

const allow = { "cloudservices:duplicates": "allow" };
const rejected = { message: "no", outcome: "rejected" } as const;

const count = (calls: readonly string[], what: string) => calls.filter((call) => call === what).length;

/** The inputs of many resources, as the engine checks them one after the other. */
function checkedAs(opened: ReturnType<typeof open>, kind: Kind<Inputs, Remote>, number: number) {
  const { settings, names } = opened.session;
  return check(kind, {}, { __urn: `${urn}-${number}` }, settings, names).inputs;
}

describe("the requests of a recovery", () => {
  const many = async (allowed: Record<string, string>) => {
    const { unique, calls, things } = service();
    const first = open(unique);
    const numbers = Array.from({ length: 100 }, (_, number) => number);
    for (const number of numbers) await createResource(first.scope, checkedAs(first, unique, number));
    calls.length = 0;
    const next = open(unique, allowed);
    const ended = await Promise.allSettled(
      numbers.map((number) => createResource(next.scope, checkedAs(next, unique, number))),
    );
    return { calls, things, ended };
  };

  it("a hundred links that a run has left cost one listing, and none is doubled", async () => {
    const { calls, things, ended } = await many({});
    expect(ended.every(({ status }) => status === "rejected")).toBe(true);
    expect({ create: count(calls, "create"), list: count(calls, "list") }).toEqual({ create: 100, list: 1 });
    expect(things.size).toBe(100);
  });

  it("taking them over costs no more", async () => {
    const { calls, things, ended } = await many({ "cloudservices:adoptInterrupted": "true" });
    expect(ended.every(({ status }) => status === "fulfilled")).toBe(true);
    expect({ create: count(calls, "create"), list: count(calls, "list") }).toEqual({ create: 100, list: 1 });
    expect(things.size).toBe(100);
  });
});

describe("the listing before a creation, which the specification does not show", () => {
  const unusable: Record<string, () => CloudServicesError> = {
    "a 403": () => new PermissionError(rejected),
    "a missing route": () => new RouteMissingError(rejected),
    "a 404 in the service's own words": () => new NotFoundError(rejected),
    "a 400 without a limit as well": () => new BadRequestError(rejected),
    "a list of another shape": () =>
      new UnreadableResponseError(facts, [{ path: "data", expected: "array", received: "object" }]),
  };

  it.each(Object.entries(unusable))("%s: creates without it, and warns once", async (_what, error) => {
    const { kind, calls, things } = service();
    const blind: Kind<Inputs, Remote> = {
      ...kind,
      list: () => {
        calls.push("list");
        return listOf(Promise.reject(error()));
      },
    };
    const opened = open(blind);
    for (const number of [1, 2, 3]) await createResource(opened.scope, checkedAs(opened, blind, number));
    expect(things.size).toBe(3);
    expect(opened.warnings).toEqual([
      expect.stringContaining("Thing: the service does not list existing resources"),
    ]);
    expect(count(calls, "list")).toBeLessThanOrEqual(2);
  });

  const passing: Record<string, () => CloudServicesError> = {
    "a 5xx": () => new ServerError(rejected),
    "no connection": () => new ConnectionError({ message: "refused", outcome: "notSent" }),
    "a gateway's page": () => new UnreadableResponseError(facts),
  };

  it.each(Object.entries(passing))(
    "%s: nothing is sent and the next run tries again, unless duplicates are allowed",
    async (_what, error) => {
      const { kind, faults, things, calls } = service();
      const { scope, checked } = open(kind);
      faults.push({ on: "list", when: "before", error });
      expect(await errorOf(createResource(scope, checked({})))).toMatchObject({
        message: expect.stringMatching(/\[LOOKUP_FAILED\].*Nothing was sent\.\s+fix: pulumi up/s),
      });
      expect(calls).toEqual(["list"]);
      await createResource(scope, checked({}));
      expect(things.size).toBe(1);

      const lenient = open(kind, allow);
      faults.push({ on: "list", when: "before", error });
      await createResource(lenient.scope, lenient.checked({ name: "orders" }));
      expect(things.size).toBe(2);
    },
  );
});

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
    "with duplicates allowed: the next candidate is taken, twice over, and nothing changes afterwards (%s)",
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

  it("and that the state has is no leftover: the next candidate is taken", async () => {
    const { kind, things } = service();
    const first = open(kind);
    const { id } = await createResource(first.scope, first.checked({}));
    const { scope, session, checked, warnings } = open(kind);
    session.markManaged("Thing", id);
    await createResource(scope, checked({}));
    expect(things.size).toBe(2);
    expect(warnings).toEqual([]);
  });
});

describe("a given name that exists elsewhere", () => {
  const inputs = { name: "web", colour: "eu-central-1" };

  it("is created when a returned field differs, and the warning names the other one", async () => {
    const { kind, add, things } = service();
    add({ name: "web", colour: "us-east-1" });
    const { scope, checked, warnings } = open(kind);
    await createResource(scope, checked(inputs));
    expect(things.size).toBe(2);
    expect(warnings).toEqual([expect.stringMatching(/although the service has t1 of the same name/)]);
  });

  it.each(["eu-central-1", "EU-Central-1", "EuCentral1", undefined])(
    "is refused when an interrupted run may have left it: the service says %s",
    async (colour) => {
      const { kind, add, things } = service();
      things.set("t0", { ...add({ name: "web" }), id: "t0", colour });
      things.delete("t1");
      const { scope, checked } = open(kind);
      expect(await errorOf(createResource(scope, checked(inputs)))).toMatchObject({
        message: expect.stringMatching(
          /already has t0 with the same name.*\[POSSIBLE_DUPLICATE\].*adopt: "t0"/s,
        ),
      });
      expect(things.size).toBe(1);
    },
  );

  it("is refused while what can change in place is not ready, and for what a creation cannot ask for", async () => {
    const { kind, add, things } = service();
    add({ name: "web", colour: "us-east-1" });
    const notReady: Kind<Inputs, Remote> = {
      ...kind,
      readiness: {
        phase: () => "pending",
        status: () => "building",
        reason: () => undefined,
        wait: () => Promise.reject(lostResponse()),
      },
    };
    const later: Kind<Inputs, Remote> = {
      ...kind,
      inputs: { ...kind.inputs, colour: { ...kind.inputs.colour, notAtCreation: true } },
    };
    for (const each of [notReady, later]) {
      const { scope, checked } = open(each);
      expect(await errorOf(createResource(scope, checked(inputs)))).toMatchObject({
        message: expect.stringContaining("already has t1"),
      });
    }
    expect(things.size).toBe(1);
  });
});

describe("a lost response to what expires by itself", () => {
  const expiring = (all: ReturnType<typeof service>): Kind<Inputs, Remote> => ({
    ...all.kind,
    naming: { field: "name", form: "readable", expires: () => "2030-01-01T00:00:00Z" },
  });

  it.each(["", "given"])("is sent again, also where it was not carried out (name %j)", async (name) => {
    const all = service();
    const kind = expiring(all);
    const { scope, checked, warnings } = open(kind);
    all.faults.push({ on: "create", when: "before", error: lostResponse });
    await createResource(scope, checked(name ? { name } : {}));
    expect(count(all.calls, "create")).toBe(2);
    expect(warnings).toEqual([expect.stringMatching(/created by request 2.*expires/)]);
  });

  it("is not sent again where the listing shows it under its derived name", async () => {
    const all = service();
    const { scope, checked } = open(expiring(all));
    all.faults.push({ on: "create", when: "after", error: lostResponse });
    expect(await createResource(scope, checked({}))).toMatchObject({ id: "t1" });
    expect(all.things.size).toBe(1);
  });

  it("is sent three times at most, with and without a listing", async () => {
    for (const config of [{}, { "cloudservices:api": "documented" }]) {
      const all = service();
      const { scope, checked } = open(expiring(all), config);
      for (let number = 0; number < 5; number++)
        all.faults.push({ on: "create", when: "before", error: lostResponse });
      const said = await errorOf(createResource(scope, checked({})));
      expect(said).toMatchObject({ message: expect.stringContaining("[CREATE_OUTCOME_UNKNOWN]") });
      // It was sent again, so a message that denies it would be untrue.
      expect(said).toMatchObject({ message: expect.stringMatching(/It was retried.*expires unattended/) });
      expect(count(all.calls, "create")).toBe(3);
    }
  });
});

describe("a creation of which nothing is known, with only documented requests", () => {
  const config = { "cloudservices:api": "documented" };

  it("offers no adoption of a kind that cannot be read, but the deletion", async () => {
    const all = service();
    const { scope, checked } = open(all.kind, config);
    all.faults.push({ on: "create", when: "after", error: lostResponse });
    const error = await errorOf(createResource(scope, checked({})));
    expect(error).toMatchObject({
      message: expect.stringMatching(/\[CREATE_OUTCOME_UNKNOWN\].*delete it at the service, then pulumi up/s),
    });
    expect(error).not.toMatchObject({ message: expect.stringContaining("adopt:") });
  });

  it("offers the adoption of a kind that can be listed", async () => {
    const all = service();
    const { scope, checked } = open({ ...all.unique, documented: { list: true } }, config);
    for (let number = 0; number < 3; number++)
      all.faults.push({ on: "create", when: "before", error: lostResponse });
    expect(await errorOf(createResource(scope, checked({})))).toMatchObject({
      message: expect.stringContaining('adopt: "<its id>"'),
    });
  });

  it("says what to do about an adoption that is impossible", async () => {
    const { kind, add } = service();
    const { id } = add({ name: "web" });
    const { scope, checked } = open(kind, config);
    expect(await errorOf(createResource(scope, checked({ adopt: id })))).toMatchObject({
      message: expect.stringMatching(/\[ADOPT_UNSUPPORTED\].*delete t1 at the service, remove `adopt` /s),
    });
  });
});

describe("a name that was taken, of a kind whose name can change in place", () => {
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

  it("gives way to a name that the program gives later", async () => {
    const { scope, checked, inputs, id, outputs, things, calls } = await beside();
    const given = checked({ name: "orders" }, inputs);
    const renamed = await updateResource(scope, id, outputs, given);
    expect(things.get(id)?.name).toBe("orders");
    expect(renamed).toMatchObject({ name: "orders" });
    calls.length = 0;
    await updateResource(scope, id, renamed, checked({ name: "orders" }, given));
    expect(calls).toEqual([]);
  });

  it("is kept where an update fails", async () => {
    const { scope, checked, inputs, id, outputs, name, faults } = await beside();
    faults.push({ on: "update", when: "before", error: lostResponse });
    const failed = await errorOf(updateResource(scope, id, outputs, checked({ colour: "blue" }, inputs)));
    expect(failed).toMatchObject({ outputs: { name } });
  });

  it("is repaired where it has drifted", async () => {
    const { scope, checked, inputs, id, outputs, things, calls } = await beside();
    Object.assign(things.get(id) ?? {}, { name: "drifted" });
    const kept = await readResource(scope, id, outputs);
    calls.length = 0;
    await updateResource(scope, id, kept?.outputs ?? {}, checked({}, { ...inputs, ...kept?.inputs }));
    expect(calls).toContain("update");
    expect(things.get(id)?.name).toBe(inputs["name"]);
  });
});
