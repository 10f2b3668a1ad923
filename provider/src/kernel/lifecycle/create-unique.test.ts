import {
  type CloudServicesError,
  ConnectionError,
  RateLimitError,
  ServerError,
  TimeoutError,
} from "cloudservices-sdk";
import { describe, expect, it } from "vitest";
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
import { withinLimit } from "../stack/deadline.js";

const refused = () => new RateLimitError({ message: "too many", outcome: "rejected", status: 429 });
const unreached = () => new ConnectionError({ message: "refused", outcome: "notSent" });
const failed = () => new ServerError({ ...facts, timestamp: 1_000 });

/** Fails attempts of a creation, before or after the service has created the resource or rejected the name. */
function failing(
  kind: Kind<Inputs, Remote>,
  next: () => { when: "before" | "after"; error: () => CloudServicesError } | undefined,
): Kind<Inputs, Remote> {
  return {
    ...kind,
    create: async (api, inputs) => {
      const fault = next();
      if (fault?.when === "before") throw fault.error();
      const result = kind.create(api, inputs);
      if (!fault) return await result;
      await result.catch(() => undefined);
      throw fault.error();
    },
  };
}

describe("a lost response to the creation of a unique name", () => {
  it.each([
    ["429", refused],
    ["no connection", unreached],
  ])("is resolved by another retry when one fails with: %s", async (_what, error) => {
    const { unique, faults, things } = service();
    const { scope, checked } = open(unique);
    faults.push(
      { on: "create", when: "after", error: lostResponse },
      { on: "create", when: "before", error },
    );
    expect(await createResource(scope, checked({}))).toMatchObject({ id: "t1" });
    expect(things.size).toBe(1);
  });

  it("is resolved by the listing when every retry is lost too", async () => {
    const { unique, things, calls } = service();
    const { scope, checked } = open(failing(unique, () => ({ when: "after", error: failed })));
    expect(await createResource(scope, checked({}))).toMatchObject({ id: "t1" });
    expect(things.size).toBe(1);
    expect(calls.filter((call) => call === "create")).toHaveLength(3);
  });

  it("fails when the listing shows nothing, because the request may still succeed", async () => {
    const { unique, calls } = service();
    const { scope, checked } = open(failing(unique, () => ({ when: "before", error: failed })));
    expect(await errorOf(createResource(scope, checked({})))).toMatchObject({
      message: expect.stringContaining("[CREATE_OUTCOME_UNKNOWN]"),
    });
    expect(calls).toEqual(["list"]);
  });

  it("does not claim a resource from before its request when every retry is lost", async () => {
    const { unique, add } = service();
    const { scope, checked, session } = open(failing(unique, () => ({ when: "after", error: failed })));
    const inputs = checked({});
    const old = Object.assign(add({ name: String(inputs["name"]) }), {
      createdAt: new Date(0).toISOString(),
    });
    expect(await errorOf(createResource(scope, inputs))).toMatchObject({
      message: expect.stringContaining(old.id),
    });
    expect(session.claims.isManaged("Thing", old.id)).toBe(false);
  });
});

describe("a lost response at the end of the timeout", () => {
  const timedOut = () => new TimeoutError({ message: "no answer in time.", outcome: "ambiguous" });
  const tooLate = () => new TimeoutError({ message: "its deadline has passed.", outcome: "notSent" });

  /** A creation that is carried out, whose response is lost, and which has no time for another attempt. */
  async function lastMoment(when: "before" | "after", name?: string) {
    const all = service();
    const time = { now: 1_000_000 };
    let sent = 0;
    const kind = failing(all.unique, () => {
      time.now += 1_000;
      return sent++ === 0 ? { when, error: timedOut } : { when: "before", error: tooLate };
    });
    const { scope, checked } = open(kind);
    const inputs = checked(name === undefined ? {} : { name });
    const clock = { now: () => time.now };
    const said = await errorOf(withinLimit(500, clock, {}, () => createResource(scope, inputs)));
    const message = said instanceof Error ? said.message : String(said);
    return { ...all, inputs, message, sent: () => sent };
  }

  it("reports what may exist, and that it was sent once", async () => {
    const { inputs, message, sent } = await lastMoment("after");
    expect(message).toMatch(/\[CREATE_OUTCOME_UNKNOWN\]\s+cause: no answer in time\./);
    expect(message).toContain(`t1 may be it (name "${inputs["name"]}").`);
    expect(message).toContain('adopt: "t1"');
    expect(message).toContain("It was not retried, because its time was up.");
    expect(sent()).toBe(1);
  });

  it("says what to look for when the service shows nothing yet", async () => {
    const { inputs, message } = await lastMoment("before");
    expect(message).toContain(`look for a Thing named "${inputs["name"]}" at the service.`);
    expect(message).toContain("It was not retried, because its time was up.");
  });

  it.each([
    ["derived", undefined],
    ["given", "web"],
  ])(
    "is not duplicated by the next run, which names the existing resource: with a %s name",
    async (_what, name) => {
      const { unique, things } = await lastMoment("after", name);
      const next = open(unique);
      const inputs = next.checked(name === undefined ? {} : { name });
      expect(await errorOf(createResource(next.scope, inputs))).toMatchObject({
        message: expect.stringContaining('adopt: "t1"'),
      });
      const adopting = open(unique);
      const asked = adopting.checked({ ...(name === undefined ? {} : { name }), adopt: "t1" });
      expect(await createResource(adopting.scope, asked)).toMatchObject({ id: "t1" });
      expect([...things.keys()]).toEqual(["t1"]);
    },
  );
});

describe("three hundred creations whose attempts fail at random", () => {
  it.each([1, 2, 3])("all succeed without a duplicate (seed %i)", async (seed) => {
    const { unique, things } = service();
    let state = seed;
    const random = () => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      return state / 2 ** 31;
    };
    const faults = [
      { when: "after", error: failed },
      { when: "before", error: refused },
      { when: "before", error: unreached },
    ] as const;
    // Without a lost response, the creation fails for certain: the sdk has retried it already.
    const wasLost = new Set<string>();
    const kind: Kind<Inputs, Remote> = {
      ...unique,
      create: (api, inputs) => {
        const name = inputs.name ?? "";
        const fault = random() < 0.3 ? faults[wasLost.has(name) ? Math.floor(random() * 3) : 0] : undefined;
        if (fault?.when === "after") wasLost.add(name);
        return failing(unique, () => fault).create(api, inputs);
      },
    };
    const { scope, session } = open(kind);
    const ids = await Promise.all(
      Array.from({ length: 300 }, async (_, at) => {
        const { inputs } = check(kind, {}, { __urn: `${urn}-${at}` }, session.settings, session.names);
        return (await createResource(scope, inputs)).id;
      }),
    );
    expect(wasLost.size).toBeGreaterThan(60);
    expect(new Set(ids).size).toBe(300);
    expect(things.size).toBe(300);
  });
});
