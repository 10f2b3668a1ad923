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
import { listOf } from "../../test-support/list.js";
import { check, createResource } from "../../test-support/operations.js";
import {
  errorOf,
  facts,
  type Inputs,
  lostResponse,
  open,
  type Remote,
  service,
  urn,
} from "../../test-support/thing.js";
import type { Kind } from "../definition/kind.js";

const allow = { "cloudservices:duplicates": "allow" };

const rejected = { message: "no", outcome: "rejected" } as const;

const count = (calls: readonly string[], what: string) => calls.filter((call) => call === what).length;

/** Returns the inputs of one of many resources, which the engine checks one after the other. */
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

  it("list once for a hundred leftover links, without duplicates", async () => {
    const { calls, things, ended } = await many({});
    expect(ended.every(({ status }) => status === "rejected")).toBe(true);
    expect({ create: count(calls, "create"), list: count(calls, "list") }).toEqual({ create: 100, list: 1 });
    expect(things.size).toBe(100);
  });

  it("list once to take over a hundred leftover links", async () => {
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

  it.each(Object.entries(unusable))(
    "that fails with %s is skipped with one warning",
    async (_what, error) => {
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
    },
  );

  const passing: Record<string, () => CloudServicesError> = {
    "a 5xx": () => new ServerError(rejected),
    "no connection": () => new ConnectionError({ message: "refused", outcome: "notSent" }),
    "a gateway's page": () => new UnreadableResponseError(facts),
  };

  it.each(Object.entries(passing))(
    "that fails with %s stops the creation, unless duplicates are allowed",
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
    "is rejected when an interrupted run may have left it: the service returns %s",
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

  it("is rejected when a difference may be temporary or cannot be set at creation", async () => {
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
