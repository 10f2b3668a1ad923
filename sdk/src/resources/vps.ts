import { z } from "zod";
import type { VpsImageId, VpsPlanId } from "../catalogue.js";
import type { Api } from "../core/api.js";
import type { ApiPromise } from "../core/api-promise.js";
import { nothing, operation } from "../core/operation.js";
import type { ListPromise } from "../core/pages.js";
import type { Readiness } from "../core/poll-target.js";
import type { Poller } from "../core/poller.js";
import type { RequestOptions } from "../core/request-options.js";
import type { OpenText, RequiredNames, ShapeOf } from "../core/shapes.js";
import { BACKGROUND_WORK, sharedPoller } from "../core/shared-poller.js";
import type { WaitOptions } from "../core/wait-options.js";
import { identifier } from "../core/wire.js";
import { type ListInput, listed, listInput, openText, text } from "./fields.js";
import {
  act,
  instance,
  type ListedVpsInstance,
  type ReadyVpsInstance,
  type VpsAction,
  type VpsActionResponse,
  type VpsInstance,
  type VpsStatus,
} from "./vps-actions.js";

/** The input of `vps.create`. Specification: "VPS instance", request fields. */
export interface VpsCreateInput {
  /** The name of the server. */
  readonly name: string;
  /** The plan, which determines the size; see `vpsPlans` in the catalogue. */
  readonly plan: OpenText<VpsPlanId>;
  /** The region. The specification lists none; the service checks it. */
  readonly region: string;
  /** The operating system; see `vpsImages` in the catalogue. */
  readonly image: OpenText<VpsImageId>;
  /** Identifiers of stored SSH keys: `ssh_key_…`. Default: none. */
  readonly sshKeys?: readonly string[] | undefined;
  /** Daily differential snapshots, rotated every 7 days. Default false (assumed). */
  readonly backupsEnabled?: boolean | undefined;
  /** Boot script, run at the first start. Never in logs or errors. */
  readonly userData?: string | undefined;
}

/** The fields of a server that can change in place (assumed). Absent fields keep their value. */
export interface VpsUpdateInput {
  /** The name of the server. */
  readonly name?: string | undefined;
  /** A plan with at least as much disk. Only while the server is stopped. */
  readonly plan?: OpenText<VpsPlanId> | undefined;
  /** Daily differential snapshots, rotated every 7 days. */
  readonly backupsEnabled?: boolean | undefined;
  /** Boot script. Takes effect at the next rebuild. Never in logs or errors. */
  readonly userData?: string | undefined;
}

/** What the wait for a server checks. */
const READY: RequiredNames<ReadyVpsInstance> = {
  id: true,
  name: true,
  status: true,
  ipv4: true,
  region: true,
  plan: true,
  specs: true,
  createdAt: true,
};

const plan = () => openText<VpsPlanId>();

const create = operation({
  call: "vps.create",
  basis: "documented",
  method: "POST",
  path: "/vps/instances",
  section: "VPS instance, Request fields",
  input: z.strictObject({
    name: text(),
    plan: plan(),
    region: text(),
    image: openText<VpsImageId>(),
    sshKeys: z.array(text()).readonly().optional(),
    backupsEnabled: z.boolean().optional(),
    userData: z.string().optional(),
  } satisfies ShapeOf<VpsCreateInput>),
  response: instance,
});

const list = operation({
  call: "vps.list",
  basis: "assumed",
  method: "GET",
  path: "/vps/instances",
  section: "Gaps in endpoints: list resources other than links",
  input: listInput,
  response: z.array(listed(instance, { id: identifier() })),
});

const get = operation({
  call: "vps.get",
  basis: "assumed",
  method: "GET",
  path: "/vps/instances/:id",
  section: "Gaps in endpoints: read single resources",
  input: nothing,
  response: instance,
});

const update = operation({
  call: "vps.update",
  basis: "assumed",
  method: "PATCH",
  path: "/vps/instances/:id",
  section: "Gaps in endpoints: update single resources",
  input: z.strictObject({
    name: text().optional(),
    plan: plan().optional(),
    backupsEnabled: z.boolean().optional(),
    userData: z.string().optional(),
  } satisfies ShapeOf<VpsUpdateInput>),
  response: instance,
});

const remove = operation({
  call: "vps.delete",
  basis: "assumed",
  method: "DELETE",
  path: "/vps/instances/:id",
  section: "Gaps in endpoints: delete single resources",
  input: nothing,
  response: nothing,
});

export const vpsOperations = [create, list, get, update, remove, act] as const;

const pollers = new WeakMap<Api, Poller<ListedVpsInstance>>();

/** Virtual servers. Specification: "Cloud VPS". */
export class Vps {
  readonly #api: Api;
  readonly #poller: Poller<ListedVpsInstance>;

  /** @param api - The result of `connect`. */
  constructor(api: Api) {
    this.#api = api;
    this.#poller = sharedPoller(pollers, api, (root) => ({
      ...BACKGROUND_WORK,
      noun: "VPS",
      path: (id) => `/vps/instances/${id}`,
      deletion: (id) => `await client.vps.delete(${JSON.stringify(id)})`,
      get: (id, options) => root.call(get, { id }, undefined, options),
      list: (options) => root.list(list, { limit: 100 }, options),
    }));
  }

  /**
   * Creates a server. Documented. It has no address at once: see {@link waitUntilReady}.
   *
   * The specification has no idempotency key, so a create whose response is lost is never retried: its error is
   * `ambiguous`. Check whether the server exists before you retry.
   */
  create(input: VpsCreateInput, options?: RequestOptions): ApiPromise<VpsInstance> {
    return this.#api.call(create, {}, input, options);
  }

  /** Lists servers. Iterate the result for all pages. Assumed. */
  list(input?: ListInput, options?: RequestOptions): ListPromise<ListedVpsInstance> {
    return this.#api.list(list, input, options);
  }

  /** Reads one server. Assumed. */
  get(id: string, options?: RequestOptions): ApiPromise<VpsInstance> {
    return this.#api.call(get, { id }, undefined, options);
  }

  /** Changes a server in place. Absent fields keep their value. Assumed. */
  update(id: string, input: VpsUpdateInput, options?: RequestOptions): ApiPromise<VpsInstance> {
    return this.#api.call(update, { id }, input, options);
  }

  /** Deletes a server with its disk. Assumed. */
  delete(id: string, options?: RequestOptions): ApiPromise<undefined> {
    return this.#api.call(remove, { id }, undefined, options);
  }

  /**
   * Starts an action and returns before it is finished; use {@link waitForStatus}. Documented, except the state that an
   * action leads to. An action whose response is lost is never retried: its error is `ambiguous`.
   *
   * @throws {@link ConflictError} when the state of the server does not allow the action.
   */
  act(id: string, action: VpsAction, options?: RequestOptions): ApiPromise<VpsActionResponse> {
    return this.#api.call(act, { id }, { action }, options);
  }

  /** Powers a stopped server on. Documented. */
  start(id: string, options?: RequestOptions): ApiPromise<VpsActionResponse> {
    return this.act(id, "start", options);
  }

  /** Powers a running server off. Documented. */
  stop(id: string, options?: RequestOptions): ApiPromise<VpsActionResponse> {
    return this.act(id, "stop", options);
  }

  /** Restarts a running server. Documented. */
  reboot(id: string, options?: RequestOptions): ApiPromise<VpsActionResponse> {
    return this.act(id, "reboot", options);
  }

  /** Reinstalls a server from its image and erases its disk. Documented. */
  rebuild(id: string, options?: RequestOptions): ApiPromise<VpsActionResponse> {
    return this.act(id, "rebuild", options);
  }

  /** Takes a snapshot of the disk. Documented. The event `vps.snapshot.completed` reports its end. */
  createSnapshot(id: string, options?: RequestOptions): ApiPromise<VpsActionResponse> {
    return this.act(id, "create_snapshot", options);
  }

  /**
   * Waits until a server is `running` or `stopped` and has an address. Concurrent waits share their
   * requests. It needs the assumed calls `get` and `list`.
   *
   * @throws {@link FailedStateError} at once when the server has failed, with the service's reason.
   * @throws {@link WaitTimeoutError} at the timeout; the service continues.
   * @throws {@link NotFoundError} when it is deleted.
   */
  waitUntilReady(id: string, options: WaitOptions<ListedVpsInstance> = {}): Promise<ReadyVpsInstance> {
    const judge = reached(["running", "stopped"]);
    return this.#poller.waitUntilComplete<ReadyVpsInstance>(id, judge, READY, options);
  }

  /**
   * Waits until a server has one of these states, e.g. `running` after {@link start}. The result has the fields that
   * the service returns. Otherwise like {@link waitUntilReady}.
   */
  waitForStatus(
    id: string,
    wanted: OpenText<VpsStatus> | readonly OpenText<VpsStatus>[],
    options: WaitOptions<ListedVpsInstance> = {},
  ): Promise<ListedVpsInstance> {
    return this.#poller.waitForState(id, reached([wanted].flat()), options);
  }

  /** Waits until the service proves that a server does not exist. */
  waitUntilDeleted(id: string, options: WaitOptions<ListedVpsInstance> = {}): Promise<void> {
    return this.#poller.waitUntilDeleted(id, options);
  }
}

/** An unknown status counts as pending: see `docs/api-coverage.md`. */
function reached(wanted: readonly string[]): (server: ListedVpsInstance) => Readiness {
  const ready = ["running", "stopped"];
  return ({ status, ipv4, ipv6 }) => {
    if (status === undefined) return "incomplete";
    if (status === "failed" && !wanted.includes("failed")) return "failed";
    if (!wanted.includes(status)) return "pending";
    return ready.includes(status) && ipv4 === undefined && ipv6 === undefined ? "incomplete" : "ready";
  };
}
