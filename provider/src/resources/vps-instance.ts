import {
  type CloudServices,
  CloudServicesError,
  ConflictError,
  type VpsInstance as RemoteInstance,
  type VpsImageId,
  type VpsPlanId,
  vpsImages,
  vpsPlans,
} from "cloudservices-sdk";
import { z } from "zod";
import { given } from "../kernel/changes.js";
import { flag, listOf, sameMembers, text } from "../kernel/fields.js";
import { type Changes, defineKind, type Failure, type Planned, type UpdateContext } from "../kernel/kind.js";
import { cannotShrink } from "../kernel/rules.js";
import { type Adoptable, type Args, resourceOf } from "../resource.js";

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
  /** A script that runs at the first start. Secret. A change is stored and takes effect at the next rebuild. */
  userData?: string | undefined;
  /** Whether the server runs. Default: `running`. Drift is seen. With `cloudservices:api: documented`, a change is one action, not waited for. */
  powerState?: "running" | "stopped" | undefined;
  /** Whether a change of the plan may power the server off for as long as it takes; if it fails, the server is started again. Default: false. */
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
  /** When the server was created: an ISO 8601 time. */
  createdAt: string;
  /** The price of the plan in the specification, in USD a month. */
  monthlyPriceUsd: number | undefined;
  /** The price of the plan in the specification, in USD an hour. */
  hourlyPriceUsd: number | undefined;
}

const planOf = (id: unknown) => vpsPlans.find((plan) => plan.id === id);

/** A pending server is on its way to a power state; only a settled one tells which. */
function powerState(remote: RemoteInstance): "running" | "stopped" | undefined {
  return remote.status === "running" || remote.status === "stopped" ? remote.status : undefined;
}

/** Specification: "VPS instance". */
export const vpsInstance = defineKind<VpsInstanceInputs, VpsInstanceOutputs, RemoteInstance>({
  name: "VpsInstance",
  inputs: {
    name: { schema: text(), onChange: "update", optional: true, from: (remote) => remote.name },
    plan: {
      schema: text(),
      onChange: "update",
      listed: vpsPlans.map(({ id }) => id),
      converges: true,
      from: (remote) => remote.plan,
    },
    region: { schema: text(), onChange: "replace", from: (remote) => remote.region },
    image: { schema: text(), onChange: "replace", listed: vpsImages },
    sshKeys: {
      schema: listOf(text(), "SSH key ids"),
      onChange: "replace",
      optional: true,
      same: sameMembers,
    },
    backupsEnabled: { schema: flag(), onChange: "update", optional: true, default: false },
    userData: {
      schema: text(),
      onChange: "update",
      optional: true,
      secret: true,
      replaceIf: (inputs) => inputs["replaceOnUserDataChange"] === true,
    },
    powerState: {
      schema: z.enum(["running", "stopped"], { error: "must be running or stopped" }),
      onChange: "update",
      optional: true,
      default: "running",
      documentedChange: true,
      converges: true,
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
    createdAt: { from: (remote) => remote.createdAt },
    monthlyPriceUsd: { from: (remote) => planOf(remote.plan)?.monthlyPriceUsd, optional: true },
    hourlyPriceUsd: { from: (remote) => planOf(remote.plan)?.hourlyPriceUsd, optional: true },
  },
  limits: { create: 20 * 60_000, update: 20 * 60_000, delete: 10 * 60_000 },
  naming: { field: "name", form: "readable" },
  identity: { by: ["name"], matches: (remote, inputs) => remote.name === inputs.name },
  settling: {
    phase: (remote) =>
      remote.status === "failed"
        ? "failed"
        : powerState(remote) !== undefined && remote.ipv4
          ? "settled"
          : "pending",
    status: (remote) => remote.status ?? "unknown",
    reason: (remote) => remote.statusReason,
    wait: (api, id, options, wanted) =>
      wanted === undefined
        ? api.vps.waitUntilSettled(id, options)
        : api.vps.waitForStatus(id, wanted, options),
    waitForAbsence: (api, id, options) => api.vps.waitUntilGone(id, options),
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
    const server = plan ? await context.settled() : undefined;
    // An earlier request whose answer was lost may have done it; powering the server off again would be for nothing.
    const resize = plan === server?.plan ? undefined : plan;
    const patch = given({ name, plan: resize, backupsEnabled, userData });
    if (Object.keys(patch).length === 0) return server;
    const change = async () => {
      const remote = await api.vps.update(id, patch);
      context.applied("name", "plan", "backupsEnabled", "userData");
      return remote;
    };
    return server && resize ? whileOff(api, server, context, change) : change();
  },
  async converge(api, remote, { after, settled }) {
    const wanted = after.powerState;
    if (wanted === undefined || powerState(remote) === wanted) return remote;
    await (wanted === "stopped" ? api.vps.stop(remote.id) : api.vps.start(remote.id));
    return settled(wanted);
  },
  delete: (api, id) => api.vps.delete(id),

  documented: { update: switchOnce },

  rules: (planned) => [
    ...powerRules(planned),
    ...userDataRules(planned),
    ...cannotShrink(planned, "plan", (plan) => planOf(plan)?.diskGb, { of: "disk", resource: "server" }),
  ],
});

/**
 * Does what can only be done to a server that is off. One that was running, or that an earlier update was to start
 * again, runs afterwards as the program says or, where it does not, as it did: `converge` starts it, and after a
 * failure, it is started here.
 */
async function whileOff<T>(
  api: CloudServices,
  server: RemoteInstance,
  context: UpdateContext<VpsInstanceInputs, RemoteInstance>,
  change: () => Promise<T>,
): Promise<T> {
  const runs = powerState(server) === "running";
  // The plan went by the state, in which it was off.
  if (runs && !context.after.allowStopping && context.after.powerState !== "stopped")
    throw new Error(
      `It runs, other than the state says, and a plan is changed with it powered off. ${ALLOW}.`,
    );
  const shallRun = context.after.powerState !== "stopped" && (runs || context.isOwed("powerState"));
  if (shallRun) {
    context.owes({ powerState: "running" });
    context.tells("It was powered off for that and may be off now; the next `pulumi up` starts it.");
  }
  try {
    if (runs) {
      await api.vps.stop(server.id);
      await context.settled("stopped");
    }
    return await change();
  } catch (error) {
    if (shallRun) await startAgain(api, server, context, error);
    throw error;
  }
}

/** Looks first: without an answer, what was asked for may still be under way. */
async function startAgain(
  api: CloudServices,
  { id }: RemoteInstance,
  { settled, owes, tells }: UpdateContext<VpsInstanceInputs, RemoteInstance>,
  error: unknown,
): Promise<void> {
  try {
    if (powerState(await settled()) === "stopped") {
      await api.vps.start(id);
      tells("It was powered off for that, and has been started again.");
    } else if (!isUnsure(error)) {
      owes({});
      tells("");
    }
  } catch {
    // What is told is why the change has failed, and already that the server may be off.
  }
}

/** An action without an answer is never sent again by itself: it counts as done, since nothing tells whether it was. */
async function switchOnce(
  api: CloudServices,
  id: string,
  { powerState }: Changes<VpsInstanceInputs>,
  { applied, tells }: UpdateContext<VpsInstanceInputs, RemoteInstance>,
): Promise<undefined> {
  if (!powerState) return;
  try {
    await (powerState === "stopped" ? api.vps.stop(id) : api.vps.start(id));
  } catch (error) {
    if (isUnsure(error)) {
      applied("powerState");
      tells(`No run sends it again: look at the service and, if it is not ${powerState}, do it there.`);
    } else if (error instanceof ConflictError) {
      const blind = "With cloudservices:api documented, nothing tells how it is: look at the service";
      const way = `If it is ${powerState} already, switch it back there and run \`pulumi up\` again`;
      tells(`${blind}. If it is busy, run \`pulumi up\` again when it is not. ${way}.`);
    }
    throw error;
  }
}

const isUnsure = (error: unknown): boolean =>
  error instanceof CloudServicesError && error.outcome === "ambiguous";

const ALLOW = "Set allowStopping to true to let this update stop it and start it again";

function powerRules(planned: Planned<VpsInstanceInputs>): Failure[] {
  const refused = (property: keyof VpsInstanceInputs, reason: string) => ({ property, reason });
  if (planned.creates) {
    if (planned.settings.api !== "documented" || planned.now("powerState") !== "stopped") return [];
    const unknowable = "the specification shows no way to know when a new server may be stopped";
    return [refused("powerState", `cannot be stopped at creation: ${unknowable}`)];
  }
  const plan = planned.now("plan");
  const before = planned.before("plan");
  const resizes = plan !== undefined && before !== undefined && plan !== before;
  if (!resizes || planned.now("allowStopping") === true || planned.before("powerState") === "stopped")
    return [];
  return [refused("plan", `is changed with the server powered off. ${ALLOW}`)];
}

function userDataRules(planned: Planned<VpsInstanceInputs>): Failure[] {
  if (planned.creates || planned.before("userData") === undefined || !planned.removes("userData")) return [];
  // The engine would print the value of a property that is named here.
  const way = "Set replaceOnUserDataChange to true to make a new one without it";
  return [{ property: "", reason: `userData cannot be taken from a server. ${way}` }];
}

export type VpsInstanceArgs = Args<VpsInstanceInputs> & Adoptable;

/**
 * A virtual server. Its creation waits until it is out of `provisioning` and has an address, 20 minutes at most;
 * `customTimeouts` sets another limit.
 *
 * @example
 * ```ts
 * const web = new VpsInstance("web", { plan: "vps-micro-1", region: "eu-central-1", image: "debian-12" });
 * export const address = web.ipv4;
 * ```
 */
export class VpsInstance extends resourceOf(vpsInstance) {}
