import type {
  BackupSchedule,
  ListedDatabase as FoundDatabase,
  ListedInbox,
  ListedLink,
  ListedVpsInstance,
  Webhook,
} from "cloudservices-sdk";
import { hostname, integer, sameHost, slug, text } from "../kernel/definition/fields.js";
import { type ArgsOf, defineFunction } from "./define-function.js";
import { theOne } from "./the-one.js";

/*
 * Lookups of what the program does not manage. A name that nothing or more than one has is an error: a program that
 * went on with a guess could connect to another database.
 */

/** The page size of a list, and the limit that a program may set. */
const page = { limit: 100 };
const limit = () => integer(1, 1_000_000).optional();
const first = (most: number | undefined) => (most === undefined ? {} : { limit: most });

/** Returns the short link with this slug. Fails if there is none, or if several domains have the slug. */
export const getLink = defineFunction({
  name: "getLink",
  args: {
    /** The path of the short URL. */
    slug: slug(),
    /** The domain of the short URL. Required if several domains have the slug. */
    domain: hostname().optional(),
  },
  run: (service, { slug: wanted, domain }): Promise<ListedLink> =>
    theOne(service().links.list(page), {
      noun: "link",
      by: "slug",
      wanted,
      within: domain === undefined ? "" : ` on ${domain}`,
      nameOf: (link) => link.slug,
      idOf: (link) => link.id,
      isEligible: (link) => domain === undefined || sameHost(link.domain ?? "", domain),
      hint: domain === undefined ? "the argument `domain`" : undefined,
    }),
});

/** The link to look up. */
export interface GetLinkArgs extends ArgsOf<typeof getLink> {}

/** Returns the database of this name with its connection addresses. Fails if there is none or more than one. */
export const getDatabase = defineFunction({
  name: "getDatabase",
  args: {
    /** The name of the cluster. */
    name: text(),
  },
  secret: true,
  assumed: true,
  run: async (service, { name }): Promise<FoundDatabase> => {
    const { databases } = service();
    const found = await theOne(databases.list(page), {
      noun: "database",
      by: "name",
      wanted: name,
      nameOf: (database) => database.name,
      idOf: (database) => database.id,
    });
    // A list may leave out the addresses.
    return found.connectionUri === undefined ? databases.get(found.id) : found;
  },
});

/** The database to look up. */
export interface GetDatabaseArgs extends ArgsOf<typeof getDatabase> {}

/** A database without its connection addresses, which contain its password. */
export interface ListedDatabase extends Omit<FoundDatabase, "connectionUri" | "poolUri"> {}

/** Returns the databases of the account, without their connection addresses. */
export const getDatabases = defineFunction({
  name: "getDatabases",
  args: {
    /** The largest number of databases to return. Default: all. */
    limit: limit(),
  },
  assumed: true,
  /** The databases, in the order of the service. */
  result: "databases",
  run: async (service, { limit: most }): Promise<ListedDatabase[]> => {
    const found = await service().databases.list(page).toArray(first(most));
    return found.map(({ connectionUri: _address, poolUri: _pool, ...listed }) => listed);
  },
});

/** Which databases to list. */
export interface GetDatabasesArgs extends ArgsOf<typeof getDatabases> {}

/** Returns the backup schedule of a database. The service has no list of schedules. */
export const getBackupSchedule = defineFunction({
  name: "getBackupSchedule",
  args: {
    /** The id of the database. */
    databaseId: text(),
  },
  assumed: true,
  run: (service, { databaseId }): Promise<BackupSchedule> =>
    service().databases.getBackupSchedule(databaseId),
});

/** The database whose schedule to read. */
export interface GetBackupScheduleArgs extends ArgsOf<typeof getBackupSchedule> {}

/** Returns the server of this name. Fails if there is none or more than one. */
export const getVpsInstance = defineFunction({
  name: "getVpsInstance",
  args: {
    /** The name of the server. */
    name: text(),
  },
  assumed: true,
  run: (service, { name }): Promise<ListedVpsInstance> =>
    theOne(service().vps.list(page), {
      noun: "server",
      by: "name",
      wanted: name,
      nameOf: (server) => server.name,
      idOf: (server) => server.id,
    }),
});

/** The server to look up. */
export interface GetVpsInstanceArgs extends ArgsOf<typeof getVpsInstance> {}

/** Returns the servers of the account. */
export const getVpsInstances = defineFunction({
  name: "getVpsInstances",
  args: {
    /** The largest number of servers to return. Default: all. */
    limit: limit(),
  },
  assumed: true,
  /** The servers, in the order of the service. */
  result: "instances",
  run: (service, { limit: most }): Promise<ListedVpsInstance[]> =>
    service().vps.list(page).toArray(first(most)),
});

/** Which servers to list. */
export interface GetVpsInstancesArgs extends ArgsOf<typeof getVpsInstances> {}

/** Returns the temporary mail inboxes of the account. */
export const getInboxes = defineFunction({
  name: "getInboxes",
  args: {
    /** The largest number of inboxes to return. Default: all. */
    limit: limit(),
  },
  assumed: true,
  /** The inboxes, in the order of the service. */
  result: "inboxes",
  run: (service, { limit: most }): Promise<ListedInbox[]> =>
    service().mail.listInboxes(page).toArray(first(most)),
});

/** Which inboxes to list. */
export interface GetInboxesArgs extends ArgsOf<typeof getInboxes> {}

/** Returns the webhooks of the account, without their secrets. */
export const getWebhooks = defineFunction({
  name: "getWebhooks",
  args: {
    /** The largest number of webhooks to return. Default: all. */
    limit: limit(),
  },
  assumed: true,
  /** The webhooks, in the order of the service. */
  result: "webhooks",
  run: (service, { limit: most }): Promise<Webhook[]> => service().webhooks.list(page).toArray(first(most)),
});

/** Which webhooks to list. */
export interface GetWebhooksArgs extends ArgsOf<typeof getWebhooks> {}
