import { describe, expect, it } from "vitest";
import { created, declared, foundBy } from "../testing.js";

describe("resent", () => {
  const dropped = {
    method: "POST",
    target: "/vps/instances",
    requestBody: { name: "web" },
    sent: undefined,
  } as const;
  const second = { ...dropped, service: created("vps_1") } as const;

  it("finds a retry without proof", () => {
    expect(foundBy("resent", { phases: [{ exchanges: [dropped, second] }] })).toHaveLength(1);
    const unclear = { ...dropped, sent: { status: 502, headers: {} } } as const;
    expect(foundBy("resent", { phases: [{ exchanges: [unclear, second] }] })).toHaveLength(1);
  });

  it.each([429, 409, 400])("accepts a second after a %i", (status) => {
    const refused = { ...dropped, sent: { status, headers: {} } } as const;
    expect(foundBy("resent", { phases: [{ exchanges: [refused, second] }] })).toEqual([]);
  });

  it("accepts another process, and requests that the service keeps unique", () => {
    expect(foundBy("resent", { phases: [{ exchanges: [dropped, { ...second, process: 2 }] }] })).toEqual([]);
    const link = { ...dropped, target: "/shortener/links", requestBody: { slug: "abc" } } as const;
    expect(foundBy("resent", { phases: [{ exchanges: [link, link] }] })).toEqual([]);
    const put = { ...dropped, method: "PUT", target: "/databases/db_1/backup-schedule" } as const;
    expect(foundBy("resent", { phases: [{ exchanges: [put, put] }] })).toEqual([]);
  });

  it("finds an action that a later run repeats", () => {
    const action = {
      method: "POST",
      target: "/vps/instances/vps_1/actions",
      requestBody: { action: "rebuild" },
      sent: undefined,
    } as const;
    const later = { exchanges: [{ ...action, process: 2 }] };
    const first = { exchanges: [action], outcome: "failed" } as const;
    const program = [declared("VpsAction", "once", { action: "rebuild" })];
    expect(foundBy("resent", { program, phases: [first, later] })).toHaveLength(1);
    expect(foundBy("resent", { program, phases: [{ ...first, outcome: "killed" }, later] })).toEqual([]);
    const changed = [declared("VpsAction", "once", { action: "rebuild", triggers: [2] })];
    const two = { programs: [program, changed], phases: [first, { ...later, program: 1 }] };
    expect(foundBy("resent", two)).toEqual([]);
  });
});
