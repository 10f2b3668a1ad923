import {
  type VpsInstance as RemoteInstance,
  type VpsImageId,
  type VpsPlanId,
  vpsImages,
  vpsPlans,
} from "cloudservices-sdk";
import { z } from "zod";
import { given } from "../kernel/definition/changes.js";
import { flag, listOf, sameMembers, sameWord, text } from "../kernel/definition/fields.js";
import { defineKind } from "../kernel/definition/kind.js";
import { mayBeTrue } from "../kernel/definition/properties.js";
import { cannotShrink } from "../kernel/definition/rules.js";
import { type Adoptable, type Args, resourceOf } from "../resource.js";
import { powerRules, powerState, switchOnce, whileOff } from "./vps-power.js";
import { userDataNotes, userDataRules } from "./vps-user-data.js";

export interface VpsInstanceInputs {
  /** The name of the server. Without it, the resource's name with a short hash. Drift is seen. */
  name?: string | undefined;
  /** The size. It changes in place to a plan with at least the disk, with the server off (`allowStopping`). Drift is seen. */
  plan: VpsPlanId | (string & {});
  /** Where it runs; the service knows its regions. Drift is seen. */
  region: string;
  /** The operating system. Not returned: its drift cannot be seen. */
  image: VpsImageId | (string & {});
  /** Identifiers of stored SSH keys; their order and repetition carry no meaning. Not returned: their drift cannot be seen. */
  sshKeys?: string[] | undefined;
  /** Whether daily snapshots are taken, rotated every 7 days. Default: false. Not returned: its drift cannot be seen. */
  backupsEnabled?: boolean | undefined;
  /** A script that runs at the first start. Secret. A change is stored, and takes effect at the next rebuild: the preview warns. */
  userData?: string | undefined;
  /** Whether the server runs. Default: `running`. Drift is seen. With `cloudservices:api: documented`, a change is one action, not waited for. */
  powerState?: "running" | "stopped" | undefined;
  /** Whether a change of the plan may power the server off until it is done; if it fails, the server is started again. Default: false. */
  allowStopping?: boolean | undefined;
  /** Whether a change of `userData` makes a new server. Default: false. */
  replaceOnUserDataChange?: boolean | undefined;
}

export interface VpsInstanceOutputs {
  /** The service's word for the state of the server, `running` when it runs. */
  status: string;
  ipv4: string;
  ipv6: string | undefined;
  vcpus: number;
  /** Memory in MB. */
  ramMb: number;
  /** Disk in GB. */
  diskGb: number;
  /** The traffic that the plan includes in the specification, in TB a month. */
  bandwidthTb: number | undefined;
  /** When the server was created: an ISO 8601 time. */
  createdAt: string;
  /** The price of the plan in the specification, in USD a month. */
  monthlyPriceUsd: number | undefined;
  /** The price of the plan in the specification, in USD an hour. */
  hourlyPriceUsd: number | undefined;
}

const planOf = (id: unknown) => vpsPlans.find((plan) => typeof id === "string" && sameWord(plan.id, id));

/** Specification: "VPS instance". */
export const vpsInstance = defineKind<VpsInstanceInputs, VpsInstanceOutputs, RemoteInstance>({
  name: "VpsInstance",
  inputs: {
    name: { schema: text(), onChange: "update", optional: true, from: (remote) => remote.name },
    plan: {
      schema: text(),
      onChange: "update",
      isEquivalent: sameWord,
      allowedValues: vpsPlans.map(({ id }) => id),
      converges: true,
      from: (remote) => remote.plan,
    },
    region: { schema: text(), onChange: "replace", isEquivalent: sameWord, from: (remote) => remote.region },
    image: { schema: text(), onChange: "replace", isEquivalent: sameWord, allowedValues: vpsImages },
    sshKeys: {
      schema: listOf(text(), "SSH key ids"),
      onChange: "replace",
      optional: true,
      isEquivalent: sameMembers,
    },
    backupsEnabled: { schema: flag(), onChange: "update", optional: true, default: false },
    userData: {
      schema: text(),
      onChange: "update",
      optional: true,
      secret: true,
      replaceIf: (inputs) => mayBeTrue(inputs["replaceOnUserDataChange"]),
    },
    powerState: {
      schema: z.enum(["running", "stopped"], { error: "must be running or stopped" }),
      onChange: "update",
      optional: true,
      default: "running",
      documentedChange: true,
      afterCreation: true,
      converges: true,
      notAtCreation: true,
      from: powerState,
    },
    allowStopping: { schema: flag(), onChange: "record", optional: true, default: false },
    replaceOnUserDataChange: { schema: flag(), onChange: "record", optional: true, default: false },
  },
  outputs: {
    status: { from: (remote) => remote.status },
    ipv4: { from: (remote) => remote.ipv4 },
    ipv6: { from: (remote) => remote.ipv6, optional: true },
    vcpus: { from: (remote) => remote.specs?.vcpus },
    ramMb: { from: (remote) => remote.specs?.ramMb },
    diskGb: { from: (remote) => remote.specs?.diskGb },
    bandwidthTb: { from: (remote) => planOf(remote.plan)?.bandwidthTb, optional: true },
    createdAt: { from: (remote) => remote.createdAt },
    monthlyPriceUsd: { from: (remote) => planOf(remote.plan)?.monthlyPriceUsd, optional: true },
    hourlyPriceUsd: { from: (remote) => planOf(remote.plan)?.hourlyPriceUsd, optional: true },
  },
  timeouts: { create: 20 * 60_000, update: 20 * 60_000, delete: 10 * 60_000 },
  naming: { field: "name", form: "readable" },
  identity: { by: ["name"], matches: (remote, inputs) => remote.name === inputs.name },
  readiness: {
    phase: (remote) =>
      remote.status === "failed"
        ? "failed"
        : powerState(remote) !== undefined && remote.ipv4
          ? "ready"
          : "pending",
    status: (remote) => remote.status ?? "unknown",
    reason: (remote) => remote.statusReason,
    wait: (api, id, options, wanted) =>
      wanted === undefined ? api.vps.waitUntilReady(id, options) : api.vps.waitForStatus(id, wanted, options),
    waitUntilDeleted: (api, id, options) => api.vps.waitUntilDeleted(id, options),
  },

  id: (remote) => remote.id,
  create: (
    api,
    {
      name = "",
      sshKeys,
      powerState: _power,
      allowStopping: _allow,
      replaceOnUserDataChange: _replace,
      ...inputs
    },
  ) =>
    api.vps.create({
      name,
      ...inputs,
      // A key that is repeated means no more, and the service may refuse it.
      ...(sshKeys ? { sshKeys: [...new Set(sshKeys)] } : {}),
    }),
  read: (api, id) => api.vps.get(id),
  list: (api, page) => api.vps.list(page),
  async update(api, id, { name, plan, backupsEnabled, userData }, context) {
    const server = plan ? await context.waitUntilReady() : undefined;
    // An earlier request whose response was lost may have done it; then the server need not be powered off again.
    const isDone = plan && server?.plan !== undefined && sameWord(plan, server.plan);
    const resize = isDone ? undefined : plan;
    const patch = given({ name, plan: resize, backupsEnabled, userData });
    if (Object.keys(patch).length === 0) return server;
    const change = async () => {
      const remote = await api.vps.update(id, patch);
      context.markApplied("name", "plan", "backupsEnabled", "userData");
      return remote;
    };
    return server && resize ? whileOff(api, server, context, change) : change();
  },
  async converge(api, remote, { after, waitUntilReady: ready }) {
    const wanted = after.powerState;
    if (wanted === undefined || powerState(remote) === wanted) return remote;
    await (wanted === "stopped" ? api.vps.stop(remote.id) : api.vps.start(remote.id));
    return ready(wanted);
  },
  delete: (api, id) => api.vps.delete(id),
  afterRemoval: "It costs money while it exists.",

  documented: { update: switchOnce },

  notes: userDataNotes,
  validate: (planned) => [
    ...powerRules(planned),
    ...userDataRules(planned),
    ...cannotShrink(planned, "plan", (plan) => planOf(plan)?.diskGb, { of: "disk", resource: "server" }),
  ],
});

export type VpsInstanceArgs = Args<VpsInstanceInputs> & Adoptable;

/**
 * A virtual server. The creation waits until the server is out of `provisioning` and has an address, at most 20
 * minutes; `customTimeouts` sets another limit.
 *
 * @example
 * ```ts
 * const web = new VpsInstance("web", { plan: "vps-micro-1", region: "eu-central-1", image: "debian-12" });
 * export const address = web.ipv4;
 * ```
 */
export class VpsInstance extends resourceOf(vpsInstance) {}
