// Made from ../../calls/lookups.ts by tools/write-native.mjs, which npm run build runs. Not edited by hand.
import type * as pulumi from "@pulumi/pulumi";
import type {
  ListedDatabase as FoundDatabase,
  BackupSchedule as FoundSchedule,
  ListedInbox,
  ListedLink,
  ListedVpsInstance,
  Webhook as ListedWebhook,
} from "cloudservices-sdk";
import type * as lookups from "../../functions/lookups.js";
import { functions } from "../../generated/signatures.js";
import { type Inputs, query } from "../native-query.js";

export type {
  GetBackupScheduleArgs,
  GetDatabaseArgs,
  GetDatabasesArgs,
  GetInboxesArgs,
  GetLinkArgs,
  GetVpsInstanceArgs,
  GetVpsInstancesArgs,
  GetWebhooksArgs,
  ListedDatabase,
} from "../../functions/lookups.js";
export type { FoundDatabase, FoundSchedule, ListedInbox, ListedVpsInstance, ListedWebhook };

const definitions = () => import("../../functions/lookups.js");

const link = query(functions.getLink, async () => (await definitions()).getLink);

/**
 * Returns the short link with this slug. Fails if there is none, or if several domains have the slug. That the listed
 * items are whole links is assumed.
 */
export function getLink(args: lookups.GetLinkArgs, opts?: pulumi.InvokeOptions): Promise<ListedLink> {
  return link.promise(args, opts);
}

/** Like {@link getLink}, for outputs. */
export function getLinkOutput(args: Inputs<lookups.GetLinkArgs>, opts?: pulumi.InvokeOptions): pulumi.Output<ListedLink> {
  return link.output(args, opts);
}

const database = query(functions.getDatabase, async () => (await definitions()).getDatabase);

/**
 * Returns the database of this name with its connection addresses. Fails if there is none or more than one. Assumed.
 */
export function getDatabase(args: lookups.GetDatabaseArgs, opts?: pulumi.InvokeOptions): Promise<FoundDatabase> {
  return database.promise(args, opts);
}

/** Like {@link getDatabase}, for outputs. */
export function getDatabaseOutput(args: Inputs<lookups.GetDatabaseArgs>, opts?: pulumi.InvokeOptions): pulumi.Output<FoundDatabase> {
  return database.output(args, opts);
}

const databases = query(functions.getDatabases, async () => (await definitions()).getDatabases);

/** Returns the databases of the account, without their connection addresses. Assumed. */
export function getDatabases(args?: lookups.GetDatabasesArgs, opts?: pulumi.InvokeOptions): Promise<lookups.ListedDatabase[]> {
  return databases.promise(args, opts);
}

/** Like {@link getDatabases}, for outputs. */
export function getDatabasesOutput(
  args?: Inputs<lookups.GetDatabasesArgs>, opts?: pulumi.InvokeOptions
): pulumi.Output<lookups.ListedDatabase[]> {
  return databases.output(args, opts);
}

const backupSchedule = query(
  functions.getBackupSchedule,
  async () => (await definitions()).getBackupSchedule,
);

/** Returns the backup schedule of a database. The service has no list of schedules. Assumed. */
export function getBackupSchedule(args: lookups.GetBackupScheduleArgs, opts?: pulumi.InvokeOptions): Promise<FoundSchedule> {
  return backupSchedule.promise(args, opts);
}

/** Like {@link getBackupSchedule}, for outputs. */
export function getBackupScheduleOutput(
  args: Inputs<lookups.GetBackupScheduleArgs>, opts?: pulumi.InvokeOptions
): pulumi.Output<FoundSchedule> {
  return backupSchedule.output(args, opts);
}

const vpsInstance = query(functions.getVpsInstance, async () => (await definitions()).getVpsInstance);

/** Returns the server of this name. Fails if there is none or more than one. Assumed. */
export function getVpsInstance(args: lookups.GetVpsInstanceArgs, opts?: pulumi.InvokeOptions): Promise<ListedVpsInstance> {
  return vpsInstance.promise(args, opts);
}

/** Like {@link getVpsInstance}, for outputs. */
export function getVpsInstanceOutput(
  args: Inputs<lookups.GetVpsInstanceArgs>, opts?: pulumi.InvokeOptions
): pulumi.Output<ListedVpsInstance> {
  return vpsInstance.output(args, opts);
}

const vpsInstances = query(functions.getVpsInstances, async () => (await definitions()).getVpsInstances);

/** Returns the servers of the account. Assumed. */
export function getVpsInstances(args?: lookups.GetVpsInstancesArgs, opts?: pulumi.InvokeOptions): Promise<ListedVpsInstance[]> {
  return vpsInstances.promise(args, opts);
}

/** Like {@link getVpsInstances}, for outputs. */
export function getVpsInstancesOutput(
  args?: Inputs<lookups.GetVpsInstancesArgs>, opts?: pulumi.InvokeOptions
): pulumi.Output<ListedVpsInstance[]> {
  return vpsInstances.output(args, opts);
}

const inboxes = query(functions.getInboxes, async () => (await definitions()).getInboxes);

/** Returns the temporary mail inboxes of the account. Assumed. */
export function getInboxes(args?: lookups.GetInboxesArgs, opts?: pulumi.InvokeOptions): Promise<ListedInbox[]> {
  return inboxes.promise(args, opts);
}

/** Like {@link getInboxes}, for outputs. */
export function getInboxesOutput(args?: Inputs<lookups.GetInboxesArgs>, opts?: pulumi.InvokeOptions): pulumi.Output<ListedInbox[]> {
  return inboxes.output(args, opts);
}

const webhooks = query(functions.getWebhooks, async () => (await definitions()).getWebhooks);

/** Returns the webhooks of the account, without their secrets. Assumed. */
export function getWebhooks(args?: lookups.GetWebhooksArgs, opts?: pulumi.InvokeOptions): Promise<ListedWebhook[]> {
  return webhooks.promise(args, opts);
}

/** Like {@link getWebhooks}, for outputs. */
export function getWebhooksOutput(args?: Inputs<lookups.GetWebhooksArgs>, opts?: pulumi.InvokeOptions): pulumi.Output<ListedWebhook[]> {
  return webhooks.output(args, opts);
}
