import { describe, expect, it } from "vitest";
import { PlannedNames } from "../kernel/plan/planned-names.js";
import { check } from "../test-support/operations.js";
import { settings, settingsWith } from "../test-support/plan.js";
import { vpsInstance } from "./vps-instance.js";
import { powerState } from "./vps-power.js";

describe("the power state of a server", () => {
  it.each([
    ["running", "running"],
    ["stopped", "stopped"],
    ["provisioning", undefined],
    ["rebooting", undefined],
    [undefined, undefined],
  ])("with the status %s is %s", (status, state) => {
    expect(powerState({ id: "vps_1", status })).toBe(state);
  });
});

describe("a server that the program stops at creation", () => {
  const stopped = { plan: "vps-micro-1", region: "eu", image: "debian-12", powerState: "stopped" };
  const failures = (by: typeof settings) => check(vpsInstance, {}, stopped, by, new PlannedNames()).failures;

  it("is possible where requests show when the server may be stopped", () => {
    expect(failures(settings)).toEqual([]);
    expect(failures(settingsWith({ "cloudservices:api": "documented" }))).toEqual([
      expect.objectContaining({
        code: "INPUT_INVALID",
        summary: "powerState cannot be `stopped` at creation",
      }),
    ]);
  });
});
