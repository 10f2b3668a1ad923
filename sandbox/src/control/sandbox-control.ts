import type { Progression, ProgressionKind } from "../core/progressions.js";
import type { ActiveFault, Fault } from "../http/faults.js";
import type { JournalEntry, JournalFilter } from "../http/journal.js";
import type { RateLimitSetting } from "../http/rate-limit.js";
import type { ZoneRecord } from "../services/dns/zone.js";
import type { Mail } from "../services/inboxes/mail.js";
import type { IpInformation } from "../services/ip/information.js";
import type { EventName } from "../services/webhooks/deliveries.js";
import type { BackupRecord } from "./backups.js";
import type { LiveResource } from "./resources.js";
import type { Seed } from "./seed.js";

/** What tests do to a sandbox; the same is offered over HTTP under `/_sandbox/`. */
export interface SandboxControl {
  /** The requests to the API, oldest first, secrets masked. The last 10,000 are kept. */
  journal(filter?: JournalFilter): JournalEntry[];
  /** Empties the journal, of one tenant or of all. */
  clearJournal(tenant?: string): void;
  /**
   * Removes the resources and the journal of one tenant; without a tenant, of all of them, and every fault,
   * progression, rate limit and clock setting with them, so that those of the start hold again.
   */
  reset(tenant?: string): Promise<void>;
  /** Everything alive, with the fields that answers do not show; of one tenant or of all. */
  resources(tenant?: string): LiveResource[];
  /**
   * Changes a resource behind the API's back (drift), in the wire's spelling.
   * @throws When there is no such resource or field.
   */
  change(id: string, fields: Readonly<Record<string, unknown>>): LiveResource;
  /**
   * Deletes a resource behind the API's back, at once.
   * @throws When there is no such resource.
   */
  remove(id: string): Promise<void>;
  /**
   * How resources get to their settled state, for good or only for the `next` occasions, for all or one tenant.
   * @param kind - `database`: creations and changes; `vps`: creations; `vpsAction`: actions and resizing;
   * `deletion`: how long a deleted one shows `deleting`; `backup`: backups of databases, which nobody reads, so that
   * the mode `reads` is refused.
   */
  progress(kind: ProgressionKind, progression: Progression, only?: { next?: number; tenant?: string }): void;
  readonly faults: {
    /** Puts a fault in force; the returned id names it. The first fault that matches a request strikes. */
    add(fault: Fault): string;
    list(): ActiveFault[];
    /** Ends one fault, or all. */
    clear(id?: string): void;
  };
  /** The virtual clock, by which everything in the sandbox goes. */
  readonly clock: {
    /** Virtual time in milliseconds since 1970. */
    now(): number;
    readonly frozen: boolean;
    /**
     * Stops time, at the present or at a given instant.
     * @throws RangeError when the instant is an invalid date.
     */
    freeze(at?: Date): void;
    /** Lets time run on from where it stands. */
    resume(): void;
    /**
     * Moves time on; everything that becomes due on the way happens, in order, before this resolves. Moves at the
     * same time follow each other.
     * @throws RangeError when time would move backwards, or to where there is none.
     */
    advance(milliseconds: number): Promise<void>;
  };
  /** Named states of everything to come back to, the clock included, while the sandbox runs. */
  readonly snapshots: {
    names(): string[];
    /** @throws When there are databases on a real PostgreSQL, whose content a snapshot would not hold. */
    take(name: string): Promise<void>;
    /** @throws When there is no such snapshot, or there are databases on a real PostgreSQL. */
    restore(name: string): Promise<void>;
  };
  /**
   * Makes resources, settled at once; where one is refused, none is made.
   * @returns What was made.
   */
  seed(resources: Seed): Promise<LiveResource[]>;
  /**
   * Puts a mail into the inboxes that it is for, as if it had come over SMTP from this machine.
   * @returns How many inboxes took it.
   */
  sendMail(mail: Mail): Promise<number>;
  /** Replaces a tenant's DNS zone: what `/utils/dns` answers, and what SPF and DKIM are checked against. */
  setZone(records: readonly ZoneRecord[], tenant?: string): void;
  /** What `/utils/ip` tells a tenant of an address. Documentation addresses are known anyway. */
  setIp(ip: string, information: IpInformation, tenant?: string): void;
  /** The notifications and mail pushes of one tenant or of all, each with its attempts, oldest first. */
  deliveries(tenant?: string): DeliveryRecord[];
  /**
   * Sends a notification to the tenant's webhooks that subscribe to the event, as if it had happened.
   * @throws When the specification has no such event.
   */
  emit(tenant: string, event: EventName, data: Readonly<Record<string, unknown>>): void;
  /** The backups of databases that are not past their days, oldest first: of one database or tenant, or all. */
  backups(only?: { readonly database?: string; readonly tenant?: string }): BackupRecord[];
  /**
   * Replaces everything in a database by what a backup holds, or, where that fails, changes nothing. Everybody who
   * is connected to the database is thrown out.
   * @param into - Another database of the same tenant; by default the one that was backed up.
   * @throws When there is no such backup or database, the backup has no dump, or the database does not take it.
   */
  restoreBackup(id: string, only?: { readonly into?: string }): Promise<void>;
  /** Sets the rate limit for each tenant; `undefined` lifts it. */
  limitRate(setting: RateLimitSetting | undefined): void;
  /** Resolves when nothing is under way beside the requests. */
  idle(): Promise<void>;
}

/** A notification or the push of a mail. */
export interface DeliveryRecord {
  readonly id: string;
  readonly tenant: string;
  /** The webhook or the inbox on whose account it is sent. */
  readonly for: string;
  readonly url: string;
  /** The event, or `mail`. */
  readonly event: string;
  readonly body: string;
  readonly status: "pending" | "delivered" | "failed";
  /** Each with the virtual time, and the answer's status or what went wrong. */
  readonly attempts: ReadonlyArray<{
    at: string;
    status_code?: number | undefined;
    error?: string | undefined;
  }>;
}
