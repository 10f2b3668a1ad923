import type { ResourceOptions } from "../args.js";
import { kinds } from "../generated/signatures.js";
import type {
  BackupScheduleArgs,
  BackupScheduleInputs,
  BackupScheduleOutputs,
} from "../resources/backup-schedule.js";
import type { DatabaseArgs, DatabaseInputs, DatabaseOutputs } from "../resources/database.js";
import { PLAN_KEY, planBehind } from "../resources/database-behind.js";
import type { InboxArgs, InboxInputs, InboxOutputs } from "../resources/inbox.js";
import type { LinkArgs, LinkInputs, LinkOutputs } from "../resources/link.js";
import type { VpsActionArgs, VpsActionInputs, VpsActionOutputs } from "../resources/vps-action.js";
import type { VpsInstanceArgs, VpsInstanceInputs, VpsInstanceOutputs } from "../resources/vps-instance.js";
import type { WebhookArgs, WebhookInputs, WebhookOutputs } from "../resources/webhook.js";
import { dynamicClass, registrationOf } from "./dynamic-class.js";
import { requireOneSchedule } from "./one-schedule.js";

export type { BackupScheduleArgs } from "../resources/backup-schedule.js";
export type { DatabaseArgs } from "../resources/database.js";
export type { InboxArgs } from "../resources/inbox.js";
export type { LinkArgs } from "../resources/link.js";
export type { VpsActionArgs, VpsActionName } from "../resources/vps-action.js";
export type { VpsInstanceArgs } from "../resources/vps-instance.js";
export type { WebhookArgs } from "../resources/webhook.js";

/*
 * The classes of the dynamic provider.
 */

/**
 * When a database is backed up, and how long the backups are kept. A database has one schedule: declaring it overwrites
 * the existing one.
 *
 * The preview rejects a retention that the plan of the program's database does not support. If the database does not
 * exist yet, the preview may not know its plan; then `up` rejects the retention before it sends the schedule.
 *
 * @remarks
 * In TypeScript and JavaScript, the preview always knows it if `databaseId` is an output of a Database in the program.
 *
 * @example
 * ```ts
 * import { BackupSchedule, Database } from "pulumi-cloudservices";
 *
 * const orders = new Database("orders", {
 *   engine: "postgresql",
 *   version: "16",
 *   plan: "db-starter-1",
 *   region: "eu-central-1",
 * });
 *
 * new BackupSchedule("nightly", { databaseId: orders.id, frequency: "daily", hourUtc: 3, retentionDays: 7 });
 * // The same without an id: orders.backupSchedule("nightly", { frequency: "daily", hourUtc: 3, retentionDays: 7 });
 * ```
 */
export class BackupSchedule extends dynamicClass<
  BackupScheduleInputs,
  BackupScheduleOutputs,
  BackupScheduleArgs
>(kinds.BackupSchedule) {
  /**
   * Declares a schedule.
   *
   * @param name - The name in the program, unique among the schedules.
   * @param args - The inputs. The preview reports all invalid ones at once.
   * @param opts - The engine's options; `customTimeouts` limits each operation.
   */
  constructor(name: string, args: BackupScheduleArgs, opts?: ResourceOptions) {
    requireOneSchedule(name, args.databaseId);
    const planned = { [PLAN_KEY]: planBehind(args.databaseId), ...args };
    super(...registrationOf(kinds.BackupSchedule, name, planned, opts));
  }
}

/**
 * A short link. If the service removes it after its `expiresAt`, it stays in the state as `expired`; a later
 * `expiresAt`, or none, then replaces it.
 *
 * @example
 * ```ts
 * import { Link } from "pulumi-cloudservices";
 *
 * const docs = new Link("docs", { url: "https://example.com/docs", title: "Documentation" });
 * export const address = docs.shortUrl;
 * ```
 */
export class Link extends dynamicClass<LinkInputs, LinkOutputs, LinkArgs>(kinds.Link) {
  /**
   * Declares a link.
   *
   * @param name - The name in the program, unique among the links.
   * @param args - The inputs. The preview reports all invalid ones at once.
   * @param opts - The engine's options; `customTimeouts` limits each operation.
   */
  constructor(name: string, args: LinkArgs, opts?: ResourceOptions) {
    super(...registrationOf(kinds.Link, name, args, opts));
  }
}

/**
 * A managed database cluster. Creation waits up to 30 minutes until the cluster is ready; `customTimeouts` sets another
 * limit.
 *
 * @example
 * ```ts
 * import { Database } from "pulumi-cloudservices";
 *
 * const orders = new Database("orders", {
 *   engine: "postgresql",
 *   version: "16",
 *   plan: "db-standard-2",
 *   region: "eu-central-1",
 * });
 * export const uri = orders.connectionUri; // a secret
 * ```
 */
export class Database extends dynamicClass<DatabaseInputs, DatabaseOutputs, DatabaseArgs>(kinds.Database) {
  /**
   * Declares a database.
   *
   * @param name - The name in the program, unique among the databases.
   * @param args - The inputs. The preview reports all invalid ones at once.
   * @param opts - The engine's options; `customTimeouts` limits each operation.
   */
  constructor(name: string, args: DatabaseArgs, opts?: ResourceOptions) {
    super(...registrationOf(kinds.Database, name, args, opts));
  }

  /**
   * Declares the backup schedule of this database, like `new BackupSchedule` with its id. The preview rejects a
   * retention that the plan does not support.
   *
   * @example
   * ```ts
   * orders.backupSchedule("nightly", { frequency: "daily", hourUtc: 3, retentionDays: 14 });
   * ```
   */
  backupSchedule(
    name: string,
    args: Omit<BackupScheduleArgs, "databaseId">,
    opts?: ResourceOptions,
  ): BackupSchedule {
    const ofThis = { ...args, databaseId: this.id, [PLAN_KEY]: this.plan };
    return new BackupSchedule(name, ofThis, opts);
  }
}

/**
 * A virtual server. Creation waits up to 20 minutes until the server is running or stopped and has an address;
 * `customTimeouts` sets another limit.
 *
 * @example
 * ```ts
 * import { VpsInstance } from "pulumi-cloudservices";
 *
 * const web = new VpsInstance("web", { plan: "vps-micro-1", region: "eu-central-1", image: "debian-12" });
 * export const address = web.ipv4;
 * ```
 */
export class VpsInstance extends dynamicClass<VpsInstanceInputs, VpsInstanceOutputs, VpsInstanceArgs>(
  kinds.VpsInstance,
) {
  /**
   * Declares a server.
   *
   * @param name - The name in the program, unique among the servers.
   * @param args - The inputs. The preview reports all invalid ones at once.
   * @param opts - The engine's options; `customTimeouts` limits each operation.
   */
  constructor(name: string, args: VpsInstanceArgs, opts?: ResourceOptions) {
    super(...registrationOf(kinds.VpsInstance, name, args, opts));
  }
}

/**
 * An action that runs on a server once, when the resource is created, and again when one of its inputs changes.
 * The creation waits until the server is running or stopped again, for 20 minutes at most; with
 * `cloudservices:api: documented` it ends with the response.
 *
 * Actions on one server run one after the other; use `dependsOn` to order them. If the server is busy, an action waits
 * until it is ready, within the timeout of its creation; with `cloudservices:api: documented`, which has no request for
 * the server's state, it fails.
 *
 * An action that may have run is not retried. If its response is lost and the server does not show it, the run fails
 * and the action counts as done; change `triggers` to run it again. If the engine is killed at that moment, no record
 * remains and the next `pulumi up` runs the action again: first remove an interrupted `rebuild` from the program.
 *
 * The service keeps no record of actions: their id is the server's, a refresh changes nothing, and deleting one sends
 * no request.
 *
 * @example
 * ```ts
 * import * as pulumi from "@pulumi/pulumi";
 * import { VpsAction, VpsInstance } from "pulumi-cloudservices";
 *
 * const release = new pulumi.Config().require("release");
 * const web = new VpsInstance("web", { plan: "vps-micro-1", region: "eu-central-1", image: "debian-12" });
 *
 * new VpsAction("before-release", { instanceId: web.id, action: "create_snapshot", triggers: [release] });
 * ```
 */
export class VpsAction extends dynamicClass<VpsActionInputs, VpsActionOutputs, VpsActionArgs>(
  kinds.VpsAction,
) {
  /**
   * Declares an action.
   *
   * @param name - The name in the program, unique among the actions.
   * @param args - The inputs. The preview reports all invalid ones at once.
   * @param opts - The engine's options; `customTimeouts` limits each operation.
   */
  constructor(name: string, args: VpsActionArgs, opts?: ResourceOptions) {
    super(...registrationOf(kinds.VpsAction, name, args, opts));
  }
}

/**
 * A temporary mail inbox. The service deletes it at `expiresAt`; it then stays in the state as `expired`, unless
 * `renewExpired` replaces it.
 *
 * @example
 * ```ts
 * import { Inbox } from "pulumi-cloudservices";
 *
 * const signup = new Inbox("signup", { ttlMinutes: 120 });
 * export const address = signup.emailAddress;
 * ```
 */
export class Inbox extends dynamicClass<InboxInputs, InboxOutputs, InboxArgs>(kinds.Inbox) {
  /**
   * Declares an inbox.
   *
   * @param name - The name in the program, unique among the inboxes.
   * @param args - The inputs, all optional. The preview reports all invalid ones at once.
   * @param opts - The engine's options; `customTimeouts` limits each operation.
   */
  constructor(name: string, args?: InboxArgs, opts?: ResourceOptions) {
    super(...registrationOf(kinds.Inbox, name, args, opts));
  }
}

/**
 * A registered endpoint to which the service sends events.
 *
 * @example
 * ```ts
 * import * as pulumi from "@pulumi/pulumi";
 * import { Webhook } from "pulumi-cloudservices";
 *
 * const secret = new pulumi.Config().requireSecret("webhookSecret");
 *
 * new Webhook("backups", { url: "https://example.com/hooks", events: ["database.backup.completed"], secret });
 * ```
 */
export class Webhook extends dynamicClass<WebhookInputs, WebhookOutputs, WebhookArgs>(kinds.Webhook) {
  /**
   * Declares a webhook.
   *
   * @param name - The name in the program, unique among the webhooks.
   * @param args - The inputs. The preview reports all invalid ones at once.
   * @param opts - The engine's options; `customTimeouts` limits each operation.
   */
  constructor(name: string, args: WebhookArgs, opts?: ResourceOptions) {
    super(...registrationOf(kinds.Webhook, name, args, opts));
  }
}
