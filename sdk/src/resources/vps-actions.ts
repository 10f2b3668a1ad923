import { z } from "zod";
import { vpsActions } from "../catalogue.js";
import { operation } from "../core/operation.js";
import { identifier } from "../core/wire.js";

export const instance = z.object({
  /** The id of the server. */
  id: identifier(),
  /** The name of the server. */
  name: z.string().optional(),
  /**
   * `provisioning` is documented; `running`, `stopped`, `starting`, `stopping`, `rebooting`, `rebuilding`,
   * `resizing`, `snapshotting`, `failed`, `deleting` are assumed; others are possible.
   */
  status: z.string().optional(),
  /** Why it failed. Assumed. */
  statusReason: z.string().optional(),
  /** The public IPv4 address. */
  ipv4: z.string().optional(),
  /** The public IPv6 address. */
  ipv6: z.string().optional(),
  /** The region of the server. */
  region: z.string().optional(),
  /** The plan, which determines the size. */
  plan: z.string().optional(),
  /** The size of the server. */
  specs: z
    .object({
      /** The number of virtual CPUs. */
      vcpus: z.int().optional(),
      /** Megabytes. */
      ramMb: z.int().optional(),
      /** Gigabytes. */
      diskGb: z.int().optional(),
    })
    .optional(),
  /** ISO 8601, UTC. */
  createdAt: z.string().optional(),
});

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

/** A virtual server. Specification: "VPS instance". */
export type VpsInstance = z.output<typeof instance>;
/** Specification: "VPS instance", actions. */
export type VpsAction = (typeof vpsActions)[number];
/** The response to an action. The specification does not show it; assumed is the server in its new state. */
export type VpsActionResponse = z.output<typeof act.response>;
