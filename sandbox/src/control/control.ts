import { z } from "zod";
import { makeId } from "../core/ids.js";
import { progressionSchema } from "../core/progressions.js";
import { type Faults, faultSchema } from "../http/faults.js";
import type { IdempotencyKeys } from "../http/idempotency.js";
import type { Journal } from "../http/journal.js";
import type { RateLimit } from "../http/rate-limit.js";
import type { ServicesContext } from "../services/context.js";
import { zoneRecord } from "../services/dns/zone.js";
import { mailSchema } from "../services/inboxes/mail.js";
import { rawMessage } from "../services/inboxes/raw-message.js";
import { ipInformation } from "../services/ip/information.js";
import { scheduleSnapshots } from "../services/vps/snapshots.js";
import { emitEvent, eventNames } from "../services/webhooks/deliveries.js";
import { requireInstant } from "../state/clock.js";
import { listBackups, removeBackups, restoreBackup } from "./backups.js";
import { removeResource } from "./removal.js";
import { RequestWaits } from "./request-wait.js";
import { ControlError, changeResource, listResources } from "./resources.js";
import type { DeliveryRecord, SandboxControl } from "./sandbox-control.js";
import { createSeed, seedSchema } from "./seed.js";
import type { Snapshots } from "./snapshots.js";
import type { StateTransfer } from "./state-transfer.js";

/** Bounds of what tests can add. */
const MAX_FAULTS = 1_000;
const MAX_ADDRESSES = 10_000;
const MAX_RECORDS = 10_000;

/** Extracts the address of `Name <name@example.com>`. */
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
  readonly transfer: StateTransfer;
  readonly idempotencyKeys: IdempotencyKeys | undefined;
  readonly closing: AbortSignal;
}

export function createControl(parts: ControlDependencies): SandboxControl {
  const { context, faults, journal, rateLimit, snapshots, transfer, idempotencyKeys } = parts;
  const { clock, store } = context;
  let moved: Promise<unknown> = Promise.resolve();
  const requestWaits = new RequestWaits(journal, parts.closing);
  return {
    journal: (filter) => journal.list(filter),
    waitForRequest: (filter, wait) => requestWaits.waitFor(filter, wait),
    unmatchedRequests: (tenant) => journal.unmatched(tenant),
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
        throw new ControlError(400, `"backup" does not support the mode "reads": no request reads a backup.`);
      context.progressions.set(kind, progressionSchema.parse(progression), only);
    },
    faults: {
      add(fault) {
        if (faults.list().length >= MAX_FAULTS)
          throw new ControlError(409, `There are ${MAX_FAULTS} faults already.`);
        return faults.add(faultSchema.parse(fault));
      },
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
      // Queued, so that simultaneous moves add up.
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
    exportState: (path) => transfer.export(path),
    async importState(path) {
      await transfer.import(path);
      idempotencyKeys?.forget();
    },
    seed: (resources) => createSeed(context, seedSchema.parse(resources)),
    async sendMail(mail) {
      const { to, from, ...rest } = mailSchema.parse(mail);
      // Loaded on demand: the mail libraries are large, and most sandboxes receive no mail.
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
    rawMessage: (id) => rawMessage(context, id),
    async attachments(id) {
      const { attachmentsInWorker } = await import("../services/inboxes/parse-in-worker.js");
      return attachmentsInWorker(rawMessage(context, id));
    },
    setZone: (records, tenant = "local") =>
      setZone(context, tenant, z.array(zoneRecord).max(MAX_RECORDS).parse(records)),
    setIp(ip, information, tenant = "local") {
      if (context.ipDirectory.size >= MAX_ADDRESSES)
        throw new ControlError(409, `There are ${MAX_ADDRESSES} addresses already.`);
      context.ipDirectory.set(tenant, ip, ipInformation.parse(information));
    },
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

/** Stops at every due time on the way, so that each event sees the time at which it happens. */
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
  // First, so that no running backup emits an event.
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
