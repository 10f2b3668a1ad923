import {
  type ListedVpsInstance as RemoteInstance,
  type VpsImageId,
  type VpsPlanId,
  vpsImages,
  vpsPlans,
} from "cloudservices-sdk";
import { z } from "zod";
import type { Adoptable, Args } from "../args.js";
import { given } from "../kernel/definition/changes.js";
import { type InputsOf, kindOf, type OutputsOf } from "../kernel/definition/define-kind.js";
import { flag, listOf, openText, sameMembers, sameWord, text } from "../kernel/definition/fields.js";
import { mayBeTrue } from "../kernel/definition/properties.js";
import { vpsPlan } from "./vps-plan.js";
import { powerRules, powerState, switchOnce, switchPower } from "./vps-power.js";
import { vpsReadiness } from "./vps-readiness.js";
import { hasPlan, resizeRules, whileOff } from "./vps-resize.js";
import { userDataNotes, userDataRules } from "./vps-user-data.js";

const { defineKind, input, optionalInput, output, optionalOutput } = kindOf<RemoteInstance>();

/** The inputs whose update may restart the server. Assumed: it may get another address then. */
const RESTARTS = ["plan", "powerState"];

/** Specification: "VPS instance". */
export const vpsInstance = defineKind({
  name: "VpsInstance",
  inputs: {
    /** The name of the server. Default: the resource's name with a short hash. Drift is detected. */
    name: optionalInput(text(), { onChange: "update", from: (remote) => remote.name }),
    /** The size. It changes in place to a plan with at least as much disk, while the server is off (`allowStopping`). Drift is detected. */
    plan: input(openText<VpsPlanId>(), {
      onChange: "update",
      isEquivalent: sameWord,
      allowedValues: vpsPlans.map(({ id }) => id),
      converges: true,
      from: (remote) => remote.plan,
    }),
    /** The region; the service validates it. Drift is detected. */
    region: input(text(), { onChange: "replace", isEquivalent: sameWord, from: (remote) => remote.region }),
    /** The operating system. Not returned, so its drift cannot be detected. */
    image: input(openText<VpsImageId>(), {
      onChange: "replace",
      isEquivalent: sameWord,
      allowedValues: vpsImages,
    }),
    /** The ids of stored SSH keys; order and repetition are ignored. Not returned, so their drift cannot be detected. */
    sshKeys: optionalInput(listOf(text(), "SSH key ids"), { onChange: "replace", isEquivalent: sameMembers }),
    /** Whether the service takes daily snapshots and keeps them for 7 days. Default: false. Not returned, so its drift cannot be detected. */
    backupsEnabled: optionalInput(flag(), { onChange: "update", default: false }),
    /** A script that runs at the first start. Secret. A changed script runs at the next rebuild, and the preview warns about that. */
    userData: optionalInput(text(), {
      onChange: "update",
      secret: true,
      replaceIf: (inputs) => mayBeTrue(inputs["replaceOnUserDataChange"]),
    }),
    /** Whether the server is running. Default: `running`. Drift is detected. With `cloudservices:api: documented`, a change sends one action and does not wait. */
    powerState: optionalInput(z.enum(["running", "stopped"], { error: "must be running or stopped" }), {
      onChange: "update",
      default: "running",
      documentedChange: true,
      afterCreation: true,
      converges: true,
      notAtCreation: true,
      from: powerState,
    }),
    /** Whether a change of the plan may power the server off. Afterwards, or if the change fails, the server is started again. Default: false. */
    allowStopping: optionalInput(flag(), { onChange: "record", default: false }),
    /** Whether a change of `userData` replaces the server. Default: false. */
    replaceOnUserDataChange: optionalInput(flag(), { onChange: "record", default: false }),
  },
  outputs: {
    /** The state of the server in the service's words, such as `running`. */
    status: output((remote) => remote.status),
    /** The public IPv4 address. */
    ipv4: output((remote) => remote.ipv4, { changesWith: RESTARTS }),
    /** The public IPv6 address, if the server has one. */
    ipv6: optionalOutput((remote) => remote.ipv6, { changesWith: RESTARTS }),
    /** The number of virtual CPUs. */
    vcpus: output((remote) => remote.specs?.vcpus, { changesWith: ["plan"] }),
    /** Memory in MB. */
    ramMb: output((remote) => remote.specs?.ramMb, { changesWith: ["plan"] }),
    /** Disk in GB. */
    diskGb: output((remote) => remote.specs?.diskGb, { changesWith: ["plan"] }),
    /** The monthly traffic of the plan in TB, from the specification. */
    bandwidthTb: optionalOutput((remote) => vpsPlan(remote.plan)?.bandwidthTb, { changesWith: ["plan"] }),
    /** When the server was created: an ISO 8601 time. */
    createdAt: output((remote) => remote.createdAt, { changesWith: [] }),
    /** The monthly price of the plan in USD, from the specification. */
    monthlyPriceUsd: optionalOutput((remote) => vpsPlan(remote.plan)?.monthlyPriceUsd, {
      changesWith: ["plan"],
    }),
    /** The hourly price of the plan in USD, from the specification. */
    hourlyPriceUsd: optionalOutput((remote) => vpsPlan(remote.plan)?.hourlyPriceUsd, {
      changesWith: ["plan"],
    }),
  },
  timeouts: { create: 20 * 60_000, update: 20 * 60_000, delete: 10 * 60_000 },
  naming: { field: "name", form: "readable" },
  identity: { by: ["name"], matches: (remote, inputs) => remote.name === inputs.name },
  readiness: vpsReadiness,

  id: (remote) => remote.id,
  create(
    api,
    { name = "", sshKeys, powerState: _, allowStopping: _allow, replaceOnUserDataChange: _replace, ...rest },
  ) {
    // The service may reject a repeated key.
    const keys = sshKeys ? { sshKeys: [...new Set(sshKeys)] } : {};
    return api.vps.create({ name, ...rest, ...keys });
  },
  read: (api, id) => api.vps.get(id),
  list: (api, page) => api.vps.list(page),
  async update(api, id, { name, plan, backupsEnabled, userData }, context) {
    const server = plan ? await context.waitUntilReady() : undefined;
    const resize = plan && server && !hasPlan(server, plan) ? plan : undefined;
    const patch = given({ name, plan: resize, backupsEnabled, userData });
    if (Object.keys(patch).length === 0) return server;
    const change = async () => {
      const remote = await api.vps.update(id, patch);
      context.markApplied("name", "plan", "backupsEnabled", "userData");
      return remote;
    };
    return server && resize ? whileOff(api, server, context, change) : change();
  },
  async converge(api, remote, { after, waitUntilReady }) {
    const wanted = after.powerState;
    if (wanted === undefined || powerState(remote) === wanted) return remote;
    await switchPower(api, remote.id, wanted);
    return waitUntilReady(wanted);
  },
  delete: (api, id) => api.vps.delete(id),
  afterRemoval: "It costs money while it exists.",

  documented: { update: switchOnce },

  notes: userDataNotes,
  validate: (planned) => [...powerRules(planned), ...resizeRules(planned), ...userDataRules(planned)],
});

export interface VpsInstanceInputs extends InputsOf<typeof vpsInstance> {}
export interface VpsInstanceOutputs extends OutputsOf<typeof vpsInstance> {}

export type VpsInstanceArgs = Args<VpsInstanceInputs> & Adoptable;
