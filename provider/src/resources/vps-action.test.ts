import { describe, expect, it } from "vitest";
import { type Properties, UNKNOWN } from "../kernel/definition/properties.js";
import { PlannedNames } from "../kernel/plan/planned-names.js";
import { readSettings } from "../kernel/settings/read-settings.js";
import { check, diff } from "../test-support/operations.js";
import { vpsAction } from "./vps-action.js";

const settings = readSettings((key) => (key.endsWith("Url") ? "https://api.test/v1" : undefined), {
  CLOUDSERVICES_API_KEY: "key",
});
const checked = (news: Properties, olds: Properties = {}) =>
  check(vpsAction, olds, news, settings, new PlannedNames());
const replacedBy = (news: Properties, olds: Properties) =>
  diff(vpsAction, olds, checked(news, olds).inputs, settings, new PlannedNames(), 0).replaces;

const reboot = { instanceId: "vps_1", action: "reboot" };

describe("an action on a server", () => {
  it.each(["reboot", "rebuild", "create_snapshot"])("may be %s", (action) => {
    expect(checked({ instanceId: "vps_1", action }).failures).toEqual([]);
  });

  it.each(["start", "stop"])("is not %s, which is a matter of powerState", (action) => {
    expect(checked({ instanceId: "vps_1", action }).failures).toEqual([
      {
        code: "INPUT_INVALID",
        summary: expect.stringMatching(/^action .*set powerState on its VpsInstance/),
      },
    ]);
  });

  it("cannot be adopted", () => {
    expect(checked({ ...reboot, adopt: "vps_1" }).failures).toEqual([
      { code: "INPUT_INVALID", summary: "a VpsAction cannot be adopted: it leaves nothing at the service" },
    ]);
  });

  it("runs again when an input changes, and not otherwise", () => {
    const triggers = ["v1", 2, { deep: [true] }];
    const olds = { ...reboot, triggers };
    expect(replacedBy({ ...reboot, triggers: ["v1", 2, { deep: [true] }] }, olds)).toEqual([]);
    expect(replacedBy({ ...reboot, triggers: ["v1", 2, { deep: [false] }] }, olds)).toEqual(["triggers"]);
    expect(replacedBy(reboot, olds)).toEqual(["triggers"]);
    expect(replacedBy({ ...olds, action: "rebuild" }, olds)).toEqual(["action"]);
    expect(replacedBy({ ...olds, instanceId: "vps_2" }, olds)).toEqual(["instanceId"]);
  });

  it.each([
    [[Number.NaN], "[0]"],
    [["v1", Number.POSITIVE_INFINITY], "[1]"],
    [["v1", 2, { deep: ["a secret", [{ er: Number.NEGATIVE_INFINITY }]] }], "[2]"],
  ])("rejects a trigger that would change every time: %j", (triggers, at) => {
    const [failure, ...others] = checked({ ...reboot, triggers }).failures;
    expect(others).toEqual([]);
    expect(failure).toEqual({
      code: "INPUT_INVALID",
      summary: expect.stringMatching(/NaN or Infinity.* every time/),
    });
    expect(failure?.summary).toContain(`triggers ${at} must`);
    expect(failure?.summary).not.toContain("a secret");
  });

  it("is planned when a trigger is unknown", () => {
    expect(replacedBy({ ...reboot, triggers: [UNKNOWN] }, { ...reboot, triggers: ["v1"] })).toEqual([
      "triggers",
    ]);
  });
});

describe("a running action", () => {
  const isRunning = (status: string | undefined) =>
    vpsAction.action?.isRunning({ id: "vps_1", status }, { instanceId: "vps_1", action: "reboot" });

  it("shows in the state of its server, which another action's state does not prove", () => {
    expect(isRunning("rebooting")).toBe(true);
    expect(isRunning("rebuilding")).toBe(false);
    expect(isRunning("running")).toBe(false);
    expect(isRunning(undefined)).toBe(false);
  });

  it.each([
    ["running", "ready"],
    ["stopped", "ready"],
    ["rebooting", "pending"],
    ["failed", "failed"],
    [undefined, "pending"],
  ])("leaves a server with the status %s %s", (status, phase) => {
    expect(vpsAction.readiness?.phase({ id: "vps_1", status })).toBe(phase);
  });

  it("has the id of its server, whatever the response contains", async () => {
    expect(vpsAction.action?.target({ instanceId: "vps_7", action: "reboot" })).toBe("vps_7");
  });
});
