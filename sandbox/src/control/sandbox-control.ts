import type { Progression, ProgressionKind } from "../core/progressions.js";
import type { ActiveFault, Fault, SmtpFault } from "../http/faults.js";
import type { JournalEntry, JournalFilter, RequestFilter } from "../http/journal.js";
import type { RateLimitSetting } from "../http/rate-limit.js";
import type { ZoneRecord } from "../services/dns/zone.js";
import type { Mail } from "../services/inboxes/mail.js";
import type { MailAttachment } from "../services/inboxes/parse.js";
import type { IpInformation } from "../services/ip/information.js";
import type { EventName } from "../services/webhooks/deliveries.js";
import type { BackupRecord } from "./backups.js";
import type { RequestWait } from "./request-wait.js";
import type { LiveResource } from "./resources.js";
import type { Seed } from "./seed.js";

/** Controls a sandbox from a test. The same operations are available over HTTP under `/_sandbox/`. */
export interface SandboxControl {
  /** Lists the last 10,000 requests to the API, oldest first, with secrets masked. */
  journal(filter?: JournalFilter): JournalEntry[];
  /**
   * Waits for a request to the API and returns it, for assertions. One that the journal already holds counts, too.
   * @throws When no request matches within `timeoutMs` (30,000 real milliseconds by default).
   */
  waitForRequest(filter: RequestFilter, wait?: RequestWait): Promise<JournalEntry>;
  /**
   * Lists the requests of the journal that matched no endpoint, oldest first: unknown paths and methods, and those
   * that missed the base URL. With a tenant, its own and those without a valid key.
   */
  unmatchedRequests(tenant?: string): JournalEntry[];
  /** Empties the journal of one tenant or of all. */
  clearJournal(tenant?: string): void;
  /**
   * Deletes the resources and the journal of one tenant. Without a tenant, deletes everything and restores the
   * initial faults, progressions, rate limit and clock.
   */
  reset(tenant?: string): Promise<void>;
  /** Lists live resources of one tenant or of all, with fields that the API does not show. */
  resources(tenant?: string): LiveResource[];
  /**
   * Changes a resource directly (drift). Fields are in wire spelling.
   * @throws When the resource or a field does not exist.
   */
  change(id: string, fields: Readonly<Record<string, unknown>>): LiveResource;
  /**
   * Deletes a resource directly and at once.
   * @throws When the resource does not exist.
   */
  remove(id: string): Promise<void>;
  /**
   * Sets how resources reach their next state: permanently, or for the `next` resources; for one tenant or for all.
   * @param kind - `database`: creation and changes; `vps`: creation; `vpsAction`: actions and resizing; `deletion`:
   * how long a deleted resource shows `deleting`; `backup`: backups of databases. `backup` rejects the mode `reads`,
   * because no request reads a backup.
   */
  progress(kind: ProgressionKind, progression: Progression, only?: { next?: number; tenant?: string }): void;
  readonly faults: {
    /** Adds a fault and returns its id. The first fault that matches a request, or a moment of SMTP, applies. */
    add(fault: Fault | SmtpFault): string;
    list(): ActiveFault[];
    /** Removes one fault, or all. */
    clear(id?: string): void;
  };
  /** The virtual clock, which everything in the sandbox uses. */
  readonly clock: {
    /** Virtual time in milliseconds since 1970. */
    now(): number;
    readonly frozen: boolean;
    /**
     * Stops time now or at a given instant.
     * @throws RangeError when the date is invalid.
     */
    freeze(at?: Date): void;
    /** Lets time continue from where it stopped. */
    resume(): void;
    /**
     * Moves time forward. Everything due on the way happens, in order, before this resolves. Simultaneous moves run
     * one after another.
     * @throws RangeError when the time is negative or no valid date.
     */
    advance(milliseconds: number): Promise<void>;
  };
  /** Named snapshots of all state, including the clock. They last until the process ends. */
  readonly snapshots: {
    names(): string[];
    /** @throws When a database is on a real PostgreSQL, since a snapshot would not include its content. */
    take(name: string): Promise<void>;
    /** @throws When the snapshot does not exist, or a database is on a real PostgreSQL. */
    restore(name: string): Promise<void>;
  };
  /**
   * Writes all state to one file, with the content of real databases and the dumps of their backups. The file holds
   * passwords; only this account can read it.
   * @throws When a database cannot be dumped.
   */
  exportState(path: string): Promise<void>;
  /**
   * Loads a state that `exportState` wrote, or nothing on failure. Databases keep their names, passwords and content;
   * their addresses are those of this sandbox.
   * @throws When this sandbox has resources, or the file is damaged or of a newer sandbox.
   */
  importState(path: string): Promise<void>;
  /**
   * Creates resources that are ready at once. If one is rejected, creates none.
   * @returns The created resources.
   */
  seed(resources: Seed): Promise<LiveResource[]>;
  /**
   * Delivers a mail as if it had arrived over SMTP from this machine.
   * @returns How many inboxes received it.
   */
  sendMail(mail: Mail): Promise<number>;
  /**
   * Returns a mail as it was received.
   * @param id - The id of the message.
   * @throws When the message does not exist.
   */
  rawMessage(id: string): Uint8Array;
  /**
   * Returns the decoded attachments of a mail.
   * @throws When the message does not exist.
   */
  attachments(id: string): Promise<readonly MailAttachment[]>;
  /** Replaces a tenant's DNS zone, which `/utils/dns` and the SPF and DKIM checks read. */
  setZone(records: readonly ZoneRecord[], tenant?: string): void;
  /** Sets what `/utils/ip` returns to a tenant for an address. Documentation addresses have built-in values. */
  setIp(ip: string, information: IpInformation, tenant?: string): void;
  /** Lists notifications and mail pushes of one tenant or of all, with their attempts, oldest first. */
  deliveries(tenant?: string): DeliveryRecord[];
  /**
   * Notifies the tenant's webhooks that subscribe to the event, as if it had happened.
   * @throws When the specification has no such event.
   */
  emit(tenant: string, event: EventName, data: Readonly<Record<string, unknown>>): void;
  /** Lists unexpired backups of one database, one tenant or all, oldest first. */
  backups(only?: { readonly database?: string; readonly tenant?: string }): BackupRecord[];
  /**
   * Replaces a database's content with a backup, or changes nothing on failure. Closes all connections to the
   * database.
   * @param into - Another database of the same tenant; by default the one that was backed up.
   * @throws When the backup, its dump or the database does not exist, or PostgreSQL rejects the dump.
   */
  restoreBackup(id: string, only?: { readonly into?: string }): Promise<void>;
  /** Sets the rate limit of each tenant; `undefined` removes it. */
  limitRate(setting: RateLimitSetting | undefined): void;
  /** Resolves when no background work is running. */
  idle(): Promise<void>;
}

/** A notification or a mail push. */
export interface DeliveryRecord {
  readonly id: string;
  readonly tenant: string;
  /** The id of the webhook or the inbox. */
  readonly for: string;
  readonly url: string;
  /** The event's name, or `mail`. */
  readonly event: string;
  readonly body: string;
  readonly status: "pending" | "delivered" | "failed";
  /** Each with its virtual time, and the response status or the error. */
  readonly attempts: ReadonlyArray<{
    at: string;
    status_code?: number | undefined;
    error?: string | undefined;
  }>;
}
