import { describe, expect, it } from "vitest";
import { declared, foundBy } from "../testing.js";
import { MOST_ATTEMPTS, MOST_REFUSALS } from "./bounds.js";

const failing = (status: number, at = 0) =>
  ({ method: "PUT", target: "/databases/db_1/backup-schedule", at, sent: { status, headers: {} } }) as const;
const times = <T>(count: number, made: T): T[] => Array.from({ length: count }, () => made);

describe("bounds", () => {
  it("limits the attempts of a request", () => {
    expect(foundBy("bounds", { phases: [{ exchanges: times(MOST_ATTEMPTS, failing(500)) }] })).toEqual([]);
    const tooMany = foundBy("bounds", { phases: [{ exchanges: times(MOST_ATTEMPTS + 1, failing(500)) }] });
    expect(tooMany).toEqual([
      `PUT /databases/db_1/backup-schedule failed ${MOST_ATTEMPTS + 1} times in one run; ${MOST_ATTEMPTS} are allowed`,
    ]);
  });

  it("allows more attempts after 429", () => {
    expect(foundBy("bounds", { phases: [{ exchanges: times(MOST_REFUSALS, failing(429)) }] })).toEqual([]);
    expect(
      foundBy("bounds", { phases: [{ exchanges: times(MOST_REFUSALS + 1, failing(429)) }] }),
    ).toHaveLength(1);
  });

  it("allows polls at the longest interval", () => {
    const poll = (at: number) => ({ ...failing(500, at), method: "GET" }) as const;
    const polls = Array.from({ length: 60 }, (_, count) => poll(count * 10_000));
    const phase = { exchanges: polls, startedAt: 0, endedAt: 600_000 };
    expect(foundBy("bounds", { program: [declared("Database", "orders")], phases: [phase] })).toEqual([]);
    const busy = Array.from({ length: 120 }, (_, count) => poll(count * 1_000));
    expect(foundBy("bounds", { phases: [{ ...phase, exchanges: busy }] })).toHaveLength(1);
  });

  it("limits the requests by the number of resources", () => {
    const get = { method: "GET", target: "/webhooks" } as const;
    const phase = (count: number) => ({ exchanges: times(count, get), endedAt: 0, startedAt: 0 });
    const program = [declared("Webhook", "hook")];
    expect(foundBy("bounds", { program, phases: [phase(20)] })).toEqual([]);
    expect(foundBy("bounds", { program, phases: [phase(21)] })).toEqual([
      "21 requests in one run; 20 are allowed",
    ]);
  });

  it("allows no request in a preview", () => {
    const preview = { name: "preview", command: "preview", program: 0 } as const;
    const get = { method: "GET", target: "/webhooks" } as const;
    expect(foundBy("bounds", { phases: [preview] })).toEqual([]);
    expect(foundBy("bounds", { phases: [{ ...preview, exchanges: [get] }] })).toHaveLength(1);
  });
});
