import { expect, it } from "vitest";
import { vpsReadiness } from "./vps-readiness.js";

it.each([
  [{ status: "running", ipv4: "192.0.2.1" }, "ready"],
  [{ status: "stopped", ipv4: "192.0.2.1" }, "ready"],
  [{ status: "running" }, "pending"],
  [{ status: "provisioning", ipv4: "192.0.2.1" }, "pending"],
  [{ status: "a later invention", ipv4: "192.0.2.1" }, "pending"],
  [{}, "pending"],
  [{ status: "failed", ipv4: "192.0.2.1" }, "failed"],
] as const)("the phase of a server %j is %s", (remote, phase) => {
  expect(vpsReadiness.phase({ id: "vps_1", ...remote })).toBe(phase);
});
