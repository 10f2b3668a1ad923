import type { VpsAction } from "./catalogue.js";

interface Transition {
  /** The states in which the action is taken; in any other it is a conflict. */
  readonly from: readonly string[];
  readonly through: string;
  /** The state it ends in, given the one it began in. */
  readonly to: (from: string) => string;
}

/** What each action leads to. Assumed throughout: the specification names the actions and no transition. */
export const transitions: Readonly<Record<VpsAction, Transition>> = {
  start: { from: ["stopped"], through: "starting", to: () => "running" },
  stop: { from: ["running"], through: "stopping", to: () => "stopped" },
  reboot: { from: ["running"], through: "rebooting", to: () => "running" },
  rebuild: { from: ["running", "stopped"], through: "rebuilding", to: () => "running" },
  create_snapshot: { from: ["running", "stopped"], through: "snapshotting", to: (from) => from },
};
