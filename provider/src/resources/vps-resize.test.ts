import { describe, expect, it } from "vitest";
import type { Properties } from "../kernel/definition/properties.js";
import { PlannedNames } from "../kernel/plan/planned-names.js";
import { check } from "../test-support/operations.js";
import { settings } from "../test-support/plan.js";
import { vpsInstance } from "./vps-instance.js";
import { hasPlan } from "./vps-resize.js";

const held = { plan: "vps-standard-2", region: "eu", image: "debian-12", powerState: "running" };
const summaries = (news: Properties, olds: Properties = held) =>
  check(vpsInstance, olds, { ...olds, ...news }, settings, new PlannedNames()).failures.map(
    ({ summary }) => summary,
  );
const powersOff = expect.stringContaining("only while the server is powered off");

describe("a change of a server's plan", () => {
  it("needs permission to stop a running server", () => {
    expect(summaries({ plan: "vps-standard-4" })).toEqual([powersOff]);
    expect(summaries({ plan: "vps-standard-4", allowStopping: true })).toEqual([]);
  });

  it("needs no permission if the server is already stopped", () => {
    expect(summaries({ plan: "vps-standard-4" }, { ...held, powerState: "stopped" })).toEqual([]);
  });

  it("cannot shrink the disk, with or without permission", () => {
    const shrinks = expect.stringContaining("a server cannot shrink");
    expect(summaries({ plan: "vps-micro-1", allowStopping: true })).toEqual([shrinks]);
    expect(summaries({ plan: "vps-micro-1" })).toEqual([powersOff, shrinks]);
  });

  it("needs no permission at creation, or if the plan stays", () => {
    expect(summaries({ plan: "vps-standard-2" })).toEqual([]);
    expect(check(vpsInstance, {}, held, settings, new PlannedNames()).failures).toEqual([]);
  });

  it("is not sent to a server that already has the plan", () => {
    expect(hasPlan({ id: "vps_1", plan: "VPS-Standard-4" }, "vps-standard-4")).toBe(true);
    expect(hasPlan({ id: "vps_1", plan: "vps-standard-2" }, "vps-standard-4")).toBe(false);
    expect(hasPlan({ id: "vps_1" }, "vps-standard-4")).toBe(false);
  });
});
