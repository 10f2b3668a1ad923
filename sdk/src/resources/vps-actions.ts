import { z } from "zod";
import { type VpsPlanId, vpsActions } from "../catalogue.js";
import { operation } from "../core/operation.js";
import type { Integer, Listed, OpenText, ShapeOf } from "../core/shapes.js";
import { identifier, knownText } from "../core/wire.js";

/** The states of a server. `provisioning` is documented, the others are assumed; more are possible. */
export type VpsStatus =
  | "provisioning"
  | "running"
  | "stopped"
  | "starting"
  | "stopping"
  | "rebooting"
  | "rebuilding"
  | "resizing"
  | "snapshotting"
  | "failed"
  | "deleting";

/** The size of a server. Specification: "VPS instance", `specs`. */
export interface VpsSpecs {
  /** The number of virtual CPUs. */
  readonly vcpus: Integer;
  /** Megabytes. */
  readonly ramMb: Integer;
  /** Gigabytes. */
  readonly diskGb: Integer;
}

/** A virtual server. Specification: "VPS instance", response fields. */
export interface VpsInstance {
  /** The id of the server: `vps_…`. */
  readonly id: string;
  /** The name of the server. */
  readonly name: string;
  /** The state. */
  readonly status: OpenText<VpsStatus>;
  /** Why it failed. Assumed. */
  readonly statusReason?: string | undefined;
  /** The public IPv4 address. Absent while the server is `provisioning` (assumed). */
  readonly ipv4?: string | undefined;
  /** The public IPv6 address. Absent while the server is `provisioning` (assumed). */
  readonly ipv6?: string | undefined;
  /** The region of the server. */
  readonly region: string;
  /** The plan, which determines the size. */
  readonly plan: OpenText<VpsPlanId>;
  /** The size of the server. */
  readonly specs: VpsSpecs;
  /** When the server was created: ISO 8601, UTC. */
  readonly createdAt: string;
}

/** A server as a list shows it. The specification shows no such list, so only the id is certain. */
export interface ListedVpsInstance extends Listed<VpsInstance, "id"> {}

/** The response to an action. The specification does not show it; assumed is the server in its new state. */
export interface VpsActionResponse extends Listed<VpsInstance, never> {}

/** A server that a program can connect to: it is `running` or `stopped`, and has an address. */
export interface ReadyVpsInstance extends VpsInstance {
  /** The public IPv4 address. */
  readonly ipv4: string;
}

export const instance = z.object({
  id: identifier(),
  name: z.string(),
  status: knownText<VpsStatus>(),
  statusReason: z.string().optional(),
  ipv4: z.string().optional(),
  ipv6: z.string().optional(),
  region: z.string(),
  plan: knownText<VpsPlanId>(),
  specs: z.object({ vcpus: z.int(), ramMb: z.int(), diskGb: z.int() } satisfies ShapeOf<VpsSpecs>),
  createdAt: z.string(),
} satisfies ShapeOf<VpsInstance>);

/** The actions of a server. Specification: "VPS instance", Actions. */
export type VpsAction = (typeof vpsActions)[number];

export const act = operation({
  call: "vps.act",
  basis: "documented",
  method: "POST",
  path: "/vps/instances/:id/actions",
  section: "VPS, Actions",
  input: z.strictObject({ action: z.enum(vpsActions) }),
  response: instance.partial(),
  bodyNotShown: true,
});
