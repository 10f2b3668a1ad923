import {
  type About,
  type BackupRecord,
  type DeliveryRecord,
  type JournalEntry,
  type Live,
  type LiveResource,
  type Message,
  read,
} from "./control.js";
import { controls } from "./controls.js";
import { el, json, nothing, time } from "./dom.js";
import { type Listing, list, type Shown, stack } from "./listing.js";
import { mailFrame } from "./mail-frame.js";
import type { Part } from "./parts.js";
import { listResources } from "./resources.js";
import { state } from "./state.js";

/** Reads what a section shows; the returned function shows what matches a filter. */
export type View = (live: Live) => Promise<(filter: string) => Shown>;

/** The journal is longer than a person reads, and grows while a program runs. */
const REQUESTS = 200;

function empty(...content: ReadonlyArray<Node | string>): () => Shown {
  const part: Part = { key: "empty", make: () => nothing(...content) };
  return () => ({ parts: [part], found: 0, total: 0 });
}

const resources: View = async () => {
  const [all, about, backups] = await Promise.all([
    read<LiveResource[]>("resources?masked=true"),
    read<About>("about"),
    read<BackupRecord[]>("backups"),
  ]);
  if (all.length + backups.length === 0) {
    const address = el("code", {}, `${location.origin}/v1`);
    return empty("No resources yet.", el("br"), "The API is at ", address, ".");
  }
  return (filter) => stack([...listResources(all, about, filter), list(backupList(backups), filter)]);
};

function backupList(items: readonly BackupRecord[]): Listing<BackupRecord> {
  return {
    title: "Backup",
    hasHeading: true,
    items,
    key: ({ backup_id }) => backup_id,
    columns: [
      { head: "Database", as: "name", cell: (each) => each.database_name },
      {
        head: "State",
        as: "state",
        cell: (each) => state(each.status, each.simulated ? "simulated" : ""),
      },
      { head: "Begun", cell: (each) => each.started_at.slice(0, 16).replace("T", " ") },
      { head: "Dump", cell: dumpOf },
      { head: "Tenant", as: "long", cell: (each) => each.tenant },
      { head: "Id", as: "narrow", cell: (each) => el("code", {}, each.backup_id) },
    ],
    note: ({ reason = "" }) => reason,
    detail: (each) => json(each, `Backup ${each.backup_id}`),
  };
}

function dumpOf({ dump, backup_id: id, bytes = 0 }: BackupRecord): Node | string {
  if (dump === undefined) return "";
  const href = `/_sandbox/backups/${id}/dump`;
  return el("a", { href, download: `${id}.sql` }, `${Math.ceil(bytes / 1000)} kB`);
}

const requests: View = async ({ now }) => {
  const items = (await read<JournalEntry[]>(`journal?limit=${REQUESTS}`)).reverse();
  const hasFaults = items.some(({ fault }) => fault !== undefined);
  const rest: Part[] =
    items.length < REQUESTS ? [] : [{ key: "rest", make: () => nothing(...restOfJournal()) }];
  return (filter) => {
    const shown = list(
      {
        title: "Requests",
        items,
        key: ({ requestId }) => requestId,
        context: now.slice(0, 10),
        columns: [
          { head: "Time", as: "narrow", cell: (each) => time(each.time, now) },
          { head: "Request", as: "name", cell: requestLine },
          { head: "Status", as: "state", cell: ({ status }) => statusOf(status) },
          ...(hasFaults ? [{ head: "Fault", cell: ({ fault }: JournalEntry) => fault ?? "" }] : []),
          { head: "Tenant", as: "long", cell: ({ tenant }) => tenant ?? "" },
          { head: "Took", as: "narrow", cell: ({ durationMs }) => `${durationMs} ms` },
        ],
        detail: ({ requestId, operation, requestBody, responseBody }) =>
          json({ requestId, operation, requestBody, responseBody }, `Request ${requestId}`),
        empty: "No requests yet.",
      },
      filter,
    );
    return { ...shown, parts: [...shown.parts, ...rest] };
  };
};

function requestLine({ method, path, query }: JournalEntry): string {
  const search = new URLSearchParams(query).toString();
  return `${method} ${path}${search === "" ? "" : `?${search}`}`;
}

function statusOf(status: number | undefined): HTMLElement {
  const look = status !== undefined && status < 400 ? "good" : "bad";
  return el("span", { class: look }, String(status ?? "dropped"));
}

function restOfJournal(): [string, Node, string] {
  return [
    `The last ${REQUESTS} requests; `,
    el("a", { href: "/_sandbox/journal" }, "/_sandbox/journal"),
    " has all.",
  ];
}

const mail: View = async ({ now }) => {
  const inboxes = (await read<LiveResource[]>("resources?masked=true")).filter(
    ({ kind }) => kind === "Inbox",
  );
  if (inboxes.length === 0) return empty("No inboxes.");
  const received = await Promise.all(
    inboxes.map(async ({ id, fields }) => ({
      address: String(fields["email_address"]),
      // Most inboxes of a test run are empty.
      messages: fields["message_count"] === 0 ? [] : await read<Message[]>(`inboxes/${id}/messages`),
    })),
  );
  const hasMail = received.some(({ messages }) => messages.length > 0);
  return (filter) => {
    const shown = received.map(({ address, messages }) => list(mailList(address, messages, now), filter));
    return stack(filter !== "" && hasMail ? shown.filter(({ found }) => found > 0) : shown);
  };
};

function mailList(address: string, items: readonly Message[], now: string): Listing<Message> {
  return {
    title: address,
    hasHeading: true,
    items,
    key: ({ id }) => id,
    context: now.slice(0, 10),
    text: ({ sender, subject, otp_code, text_body }) => [address, sender, subject, otp_code, text_body],
    columns: [
      { head: "Time", as: "narrow", cell: (each) => time(each.received_at, now) },
      { head: "Subject", as: "name", cell: ({ subject }) => subject || "(no subject)" },
      { head: "From", as: "long", cell: ({ sender }) => sender },
      { head: "Code", as: "state", cell: ({ otp_code }) => otp_code ?? "" },
      { head: "SPF / DKIM", cell: ({ headers }) => `${headers["SPF"]} / ${headers["DKIM"]}` },
    ],
    detail: ({ id, subject }) => mailFrame(id, subject || "(no subject)"),
    empty: "No mail.",
  };
}

const deliveries: View = async ({ now }) => {
  const items = (await read<DeliveryRecord[]>("deliveries")).reverse();
  return (filter) =>
    list(
      {
        title: "Deliveries",
        items,
        key: ({ id }) => id,
        context: now.slice(0, 10),
        columns: [
          { head: "Time", as: "narrow", cell: ({ attempts }) => lastOf(attempts, now) },
          { head: "Event", as: "name", cell: ({ event }) => event },
          { head: "State", as: "state", cell: ({ status }) => state(status) },
          { head: "To", as: "long", cell: ({ url }) => el("code", {}, url) },
          { head: "Attempts", cell: ({ attempts }) => String(attempts.length) },
        ],
        note: ({ status, attempts }) => (status === "failed" ? (attempts.at(-1)?.error ?? "") : ""),
        detail: ({ id, body, attempts }) => json({ body: JSON.parse(body), attempts }, `Delivery ${id}`),
        empty: "No deliveries yet.",
      },
      filter,
    );
};

function lastOf(attempts: DeliveryRecord["attempts"], now: string): Node | string {
  const { at } = attempts.at(-1) ?? {};
  return at === undefined ? "" : time(at, now);
}

export const views: ReadonlyMap<string, View> = new Map([
  ["resources", resources],
  ["requests", requests],
  ["mail", mail],
  ["deliveries", deliveries],
  ["controls", controls],
]);
