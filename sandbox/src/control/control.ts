import { z } from "zod";
import { makeId } from "../core/ids.js";
import { type Progression, type ProgressionKind, progressionSchema } from "../core/progressions.js";
import { type ActiveFault, type Fault, type Faults, faultSchema } from "../http/faults.js";
import type { IdempotencyKeys } from "../http/idempotency.js";
import type { Journal, JournalEntry, JournalFilter } from "../http/journal.js";
import type { RateLimit, RateLimitSetting } from "../http/rate-limit.js";
import type { ServicesContext } from "../services/context.js";
import { type ZoneRecord, zoneRecord } from "../services/dns/zone.js";
import { type Mail, mailSchema } from "../services/inboxes/mail.js";
import { type IpInformation, ipInformation } from "../services/ip/information.js";
import { scheduleSnapshots } from "../services/vps/snapshots.js";
import { type EventName, emitEvent, eventNames } from "../services/webhooks/deliveries.js";
import { requireInstant } from "../state/clock.js";
import { type BackupRecord, listBackups, removeBackups, restoreBackup } from "./backups.js";
import { removeResource } from "./removal.js";
import { ControlError, changeResource, type LiveResource, listResources } from "./resources.js";
import { createSeed, type Seed, seedSchema } from "./seed.js";
import type { Snapshots } from "./snapshots.js";

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

/** The address within `Somebody <somebody@example.com>`. */
function bareAddress(address: string): string {
  return /<([^<>]+)>\s*$/.exec(address)?.[1] ?? address.trim();
}

function setZone(
  context: ServicesContext,
  tenant: string,
  records: ReadonlyArray<z.output<typeof zoneRecord>>,
): void {
  const { tables } = context.store;
  context.store.write(tenant, (transaction) => {
    for (const { id } of tables.records.page(tenant, 0, Number.POSITIVE_INFINITY).rows)
      transaction.remove("records", id);
    for (const record of records) {
      const seq = tables.records.nextSeq(tenant);
      transaction.put("records", { id: makeId("record", seq, context.random), tenant, seq, ...record });
    }
  });
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

function listDeliveries({ store }: ServicesContext, tenant: string | undefined): DeliveryRecord[] {
  return [...store.tables.deliveries.all()]
    .filter((row) => tenant === undefined || row.tenant === tenant)
    .map(({ seq: _seq, dueAt: _dueAt, ...shown }) => shown);
}

export interface ControlDependencies {
  readonly context: ServicesContext;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly rateLimit: RateLimit;
  readonly snapshots: Snapshots;
  readonly idempotencyKeys: IdempotencyKeys | undefined;
}

export function createControl(parts: ControlDependencies): SandboxControl {
  const { context, faults, journal, rateLimit, snapshots, idempotencyKeys } = parts;
  const { clock, store } = context;
  let moved: Promise<unknown> = Promise.resolve();
  return {
    journal: (filter) => journal.list(filter),
    clearJournal: (tenant) => journal.clear(tenant),
    async reset(tenant) {
      await removeEverything(context, tenant);
      journal.clear(tenant);
      context.ipDirectory.clear(tenant);
      idempotencyKeys?.forget(tenant);
      if (tenant !== undefined) return;
      faults.clear();
      context.progressions.reset();
      rateLimit.reset();
      clock.reset();
    },
    resources: (tenant) => listResources(store, tenant),
    change(id, fields) {
      const changed = changeResource(store, id, fields);
      if (!changed) throw new ControlError(404, `There is no resource "${id}".`);
      const vps = store.tables.vps.get(id);
      const arranged = vps && scheduleSnapshots(vps, clock.now());
      if (arranged && arranged !== vps) store.write(changed.tenant, (to) => to.put("vps", arranged));
      return changed;
    },
    async remove(id) {
      if (!(await removeResource(context, id))) throw new ControlError(404, `There is no resource "${id}".`);
    },
    progress(kind, progression, only = {}) {
      if (kind === "backup" && progression.mode === "reads")
        throw new ControlError(400, "A backup has no requests that read it; give it a time instead.");
      context.progressions.set(kind, progressionSchema.parse(progression), only);
    },
    faults: {
      add: (fault) => faults.add(faultSchema.parse(fault)),
      list: () => faults.list(),
      clear: (id) => void faults.clear(id),
    },
    clock: {
      now: () => clock.now(),
      get frozen() {
        return clock.frozen;
      },
      freeze: (at) => clock.freeze(at?.getTime()),
      resume: () => clock.resume(),
      // One after the other, so that moves add up.
      advance(milliseconds) {
        const move = moved.then(() => advance(context, milliseconds));
        moved = move.catch(() => {});
        return move;
      },
    },
    snapshots: {
      names: () => snapshots.names(),
      take: (name) => snapshots.take(name),
      async restore(name) {
        await snapshots.restore(name);
        idempotencyKeys?.forget();
      },
    },
    seed: (resources) => createSeed(context, seedSchema.parse(resources)),
    async sendMail(mail) {
      const { to, from, ...rest } = mailSchema.parse(mail);
      // What reads mail is large, and most sandboxes never get any.
      const [{ compose }, { receive }] = await Promise.all([
        import("../services/inboxes/compose.js"),
        import("../services/inboxes/receive.js"),
      ]);
      const raw = await compose({ to, from, ...rest });
      return receive(context, {
        raw,
        from: bareAddress(from),
        to: [to].flat().map(bareAddress),
        ip: "127.0.0.1",
        helo: "localhost",
      });
    },
    setZone: (records, tenant = "local") => setZone(context, tenant, z.array(zoneRecord).parse(records)),
    setIp: (ip, information, tenant = "local") =>
      context.ipDirectory.set(tenant, ip, ipInformation.parse(information)),
    deliveries: (tenant) => listDeliveries(context, tenant),
    emit(tenant, event, data) {
      const name = z.enum(eventNames).parse(event);
      store.write(tenant, (transaction) => emitEvent(context, transaction, tenant, name, data));
      context.runDue();
    },
    backups: (only = {}) => listBackups(context, only),
    restoreBackup: (id, { into } = {}) => restoreBackup(context, id, into),
    limitRate(setting) {
      rateLimit.setting = setting;
    },
    idle: () => context.background.idle(),
  };
}

/** Stops at each thing that is due on the way, so that what it sets off sees the time at which it happens. */
async function advance(context: ServicesContext, milliseconds: number): Promise<void> {
  if (!Number.isFinite(milliseconds) || milliseconds < 0) {
    throw new RangeError(`time moves forward only: ${milliseconds} ms`);
  }
  const { clock, store } = context;
  const target = requireInstant(clock.now() + milliseconds);
  await clock.moveTowards(target, async () => {
    for (;;) {
      context.runDue();
      await context.background.idle();
      const next = store.agenda.next();
      if (next === undefined || next.at > target) break;
      clock.set(Math.max(next.at, clock.now()));
    }
  });
  clock.set(Math.max(target, clock.now()));
  context.runDue();
  await context.background.idle();
}

async function removeEverything(context: ServicesContext, tenant: string | undefined): Promise<void> {
  // First, so that nothing under way is told of any more.
  await removeBackups(context, tenant);
  for (const { id } of listResources(context.store, tenant)) await removeResource(context, id);
  for (const { id, tenant: owner } of listDeliveries(context, tenant)) {
    context.store.write(owner, (transaction) => transaction.remove("deliveries", id));
  }
  for (const { id, tenant: owner } of [...context.store.tables.records.all()]) {
    if (tenant !== undefined && owner !== tenant) continue;
    context.store.write(owner, (transaction) => transaction.remove("records", id));
  }
  if (tenant !== undefined) context.store.forgetHistory(tenant);
}
