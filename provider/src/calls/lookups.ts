import type * as pulumi from "@pulumi/pulumi";
import type {
  ListedDatabase as FoundDatabase,
  BackupSchedule as FoundSchedule,
  ListedInbox,
  ListedLink,
  ListedVpsInstance,
  Webhook as ListedWebhook,
} from "cloudservices-sdk";
import type * as lookups from "../functions/lookups.js";
import { functions } from "../generated/signatures.js";
import { type Inputs, query } from "./query.js";

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
} from "../functions/lookups.js";
export type { FoundDatabase, FoundSchedule, ListedInbox, ListedVpsInstance, ListedWebhook };

const definitions = () => import("../functions/lookups.js");

const link = query(functions.getLink, async () => (await definitions()).getLink);

/**
 * Returns the short link with this slug. Fails if there is none, or if several domains have the slug. That the listed
 * items are whole links is assumed.
 */
export function getLink(args: lookups.GetLinkArgs): Promise<ListedLink> {
  return link.promise(args);
}

/** Like {@link getLink}, for outputs. */
export function getLinkOutput(args: Inputs<lookups.GetLinkArgs>): pulumi.Output<ListedLink> {
  return link.output(args);
}

const database = query(functions.getDatabase, async () => (await definitions()).getDatabase);

/**
 * Returns the database of this name with its connection addresses. Fails if there is none or more than one. Assumed.
 */
export function getDatabase(args: lookups.GetDatabaseArgs): Promise<FoundDatabase> {
  return database.promise(args);
}

/** Like {@link getDatabase}, for outputs. */
export function getDatabaseOutput(args: Inputs<lookups.GetDatabaseArgs>): pulumi.Output<FoundDatabase> {
  return database.output(args);
}

const databases = query(functions.getDatabases, async () => (await definitions()).getDatabases);

/** Returns the databases of the account, without their connection addresses. Assumed. */
export function getDatabases(args?: lookups.GetDatabasesArgs): Promise<lookups.ListedDatabase[]> {
  return databases.promise(args);
}

/** Like {@link getDatabases}, for outputs. */
export function getDatabasesOutput(
  args?: Inputs<lookups.GetDatabasesArgs>,
): pulumi.Output<lookups.ListedDatabase[]> {
  return databases.output(args);
}

const backupSchedule = query(
  functions.getBackupSchedule,
  async () => (await definitions()).getBackupSchedule,
);

/** Returns the backup schedule of a database. The service has no list of schedules. Assumed. */
export function getBackupSchedule(args: lookups.GetBackupScheduleArgs): Promise<FoundSchedule> {
  return backupSchedule.promise(args);
}

/** Like {@link getBackupSchedule}, for outputs. */
export function getBackupScheduleOutput(
  args: Inputs<lookups.GetBackupScheduleArgs>,
): pulumi.Output<FoundSchedule> {
  return backupSchedule.output(args);
}

const vpsInstance = query(functions.getVpsInstance, async () => (await definitions()).getVpsInstance);

/** Returns the server of this name. Fails if there is none or more than one. Assumed. */
export function getVpsInstance(args: lookups.GetVpsInstanceArgs): Promise<ListedVpsInstance> {
  return vpsInstance.promise(args);
}

/** Like {@link getVpsInstance}, for outputs. */
export function getVpsInstanceOutput(
  args: Inputs<lookups.GetVpsInstanceArgs>,
): pulumi.Output<ListedVpsInstance> {
  return vpsInstance.output(args);
}

const vpsInstances = query(functions.getVpsInstances, async () => (await definitions()).getVpsInstances);

/** Returns the servers of the account. Assumed. */
export function getVpsInstances(args?: lookups.GetVpsInstancesArgs): Promise<ListedVpsInstance[]> {
  return vpsInstances.promise(args);
}

/** Like {@link getVpsInstances}, for outputs. */
export function getVpsInstancesOutput(
  args?: Inputs<lookups.GetVpsInstancesArgs>,
): pulumi.Output<ListedVpsInstance[]> {
  return vpsInstances.output(args);
}

const inboxes = query(functions.getInboxes, async () => (await definitions()).getInboxes);

/** Returns the temporary mail inboxes of the account. Assumed. */
export function getInboxes(args?: lookups.GetInboxesArgs): Promise<ListedInbox[]> {
  return inboxes.promise(args);
}

/** Like {@link getInboxes}, for outputs. */
export function getInboxesOutput(args?: Inputs<lookups.GetInboxesArgs>): pulumi.Output<ListedInbox[]> {
  return inboxes.output(args);
}

const webhooks = query(functions.getWebhooks, async () => (await definitions()).getWebhooks);

/** Returns the webhooks of the account, without their secrets. Assumed. */
export function getWebhooks(args?: lookups.GetWebhooksArgs): Promise<ListedWebhook[]> {
  return webhooks.promise(args);
}

/** Like {@link getWebhooks}, for outputs. */
export function getWebhooksOutput(args?: Inputs<lookups.GetWebhooksArgs>): pulumi.Output<ListedWebhook[]> {
  return webhooks.output(args);
}
