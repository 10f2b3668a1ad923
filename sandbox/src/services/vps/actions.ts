import type { VpsAction } from "./catalogue.js";

interface Transition {
  /** Statuses that allow the action; others conflict. */
  readonly from: readonly string[];
  readonly through: string;
  /** The final status, given the initial one. */
  readonly to: (from: string) => string;
}

/** The transitions of actions. Assumed: the specification names only the actions. */
export const transitions: Readonly<Record<VpsAction, Transition>> = {
  start: { from: ["stopped"], through: "starting", to: () => "running" },
  stop: { from: ["running"], through: "stopping", to: () => "stopped" },
  reboot: { from: ["running"], through: "rebooting", to: () => "running" },
  rebuild: { from: ["running", "stopped"], through: "rebuilding", to: () => "running" },
  create_snapshot: { from: ["running", "stopped"], through: "snapshotting", to: (from) => from },
};
