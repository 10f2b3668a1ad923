import {
  type About,
  type ActiveFault,
  act,
  type BackupRecord,
  type ClockState,
  type DeliveryRecord,
  type JournalEntry,
  type LiveResource,
  type Message,
  read,
} from "./control.js";
import { button, details, el, form, input, nothing, select, table } from "./dom.js";

export type View = () => Promise<Node[]>;

function time(iso: string): string {
  return iso.slice(11, 19);
}

function state(status: string): HTMLElement {
  const good = ["ready", "running", "delivered", "stopped", "completed"];
  const look = good.includes(status) ? "good" : status === "failed" ? "bad" : "busy";
  return el("span", { class: look }, status);
}

function title({ fields, id }: LiveResource): string {
  const named = [
    fields["name"],
    fields["slug"],
    fields["email_address"],
    fields["url"],
    fields["database_id"],
  ];
  return String(named.find((each) => typeof each === "string") ?? id);
}

/** Returns whether the resource is real or simulated. */
function honesty({ kind, fields }: LiveResource, { parts }: About): string {
  if (kind === "VpsInstance") return parts["servers"] ?? "";
  if (kind !== "Database") return "";
  return (fields["engine"] === "postgresql" ? parts["postgresql"] : parts["other engines"]) ?? "";
}

const resources: View = async () => {
  const [all, about, backups] = await Promise.all([
    read<LiveResource[]>("resources?masked=true"),
    read<About>("about"),
    read<BackupRecord[]>("backups"),
  ]);
  if (all.length + backups.length === 0) return [nothing("No resources yet.")];
  return [...tablesOf(all, about), ...tableOf(backups)];
};

function tablesOf(all: readonly LiveResource[], about: About): Node[] {
  return [...new Set(all.map(({ kind }) => kind))].flatMap((kind) => [
    el("h2", {}, kind),
    table(
      ["Name", "State", "", "Tenant", "Id"],
      all
        .filter((each) => each.kind === kind)
        .map((each) => {
          const { status } = each.fields;
          const shown = typeof status === "string" ? state(status) : "";
          return [
            details(title(each), each.fields),
            shown,
            honesty(each, about),
            each.tenant,
            el("code", {}, each.id),
          ];
        }),
    ),
  ]);
}

function tableOf(backups: readonly BackupRecord[]): Node[] {
  if (backups.length === 0) return [];
  const rows = backups.map((each) => [
    details(each.database_name, { ...each }),
    state(each.status),
    each.simulated ? "simulated" : "",
    each.started_at.slice(0, 16).replace("T", " "),
    each.dump === undefined
      ? ""
      : el(
          "a",
          { href: `/_sandbox/backups/${each.backup_id}/dump`, download: `${each.backup_id}.sql` },
          `${Math.ceil((each.bytes ?? 0) / 1000)} kB`,
        ),
    each.tenant,
    el("code", {}, each.backup_id),
  ]);
  return [el("h2", {}, "Backup"), table(["Database", "State", "", "Begun", "Dump", "Tenant", "Id"], rows)];
}

const requests: View = async () => {
  const all = await read<JournalEntry[]>("journal?limit=200");
  if (all.length === 0) return [nothing("No requests yet.")];
  const rows = all.reverse().map((each) => {
    const status = String(each.status ?? "dropped");
    const { requestBody, responseBody } = each;
    return [
      time(each.time),
      details(`${each.method} ${each.path}`, { requestBody, responseBody }),
      el("span", { class: status.startsWith("2") ? "good" : "bad" }, status),
      each.fault ?? "",
      each.tenant ?? "",
      `${each.durationMs} ms`,
    ];
  });
  return [table(["Time", "Request", "Status", "Fault", "Tenant", "Took"], rows)];
};

const mail: View = async () => {
  const inboxes = (await read<LiveResource[]>("resources")).filter(({ kind }) => kind === "Inbox");
  if (inboxes.length === 0) return [nothing("No inboxes.")];
  const parts = await Promise.all(
    inboxes.map(async (inbox) => {
      const messages = await read<Message[]>(`inboxes/${inbox.id}/messages`);
      const rows = messages.map((each) => [
        time(each.received_at),
        rendered(each),
        each.sender,
        each.otp_code ?? "",
        `${each.headers["SPF"]} / ${each.headers["DKIM"]}`,
      ]);
      const content =
        rows.length === 0
          ? nothing("No mail.")
          : table(["Time", "Subject", "From", "Code", "SPF / DKIM"], rows);
      return [el("h2", {}, String(inbox.fields["email_address"])), content];
    }),
  );
  return parts.flat();
};

/** Shows a mail in a frame in which nothing can run or load. */
function rendered({ id, subject }: Message): HTMLElement {
  const made = el("details", {}, el("summary", {}, subject || "(no subject)"));
  made.addEventListener(
    "toggle",
    () => made.append(el("iframe", { sandbox: "", src: `/_sandbox/messages/${id}.html`, title: subject })),
    { once: true },
  );
  return made;
}

const deliveries: View = async () => {
  const all = await read<DeliveryRecord[]>("deliveries");
  if (all.length === 0) return [nothing("No deliveries yet.")];
  const rows = all
    .reverse()
    .map(({ event, url, status, attempts, body }) => [
      details(event, { body: JSON.parse(body), attempts }),
      el("code", {}, url),
      state(status),
      String(attempts.length),
    ]);
  return [table(["Event", "To", "State", "Attempts"], rows)];
};

const controls: View = async () => {
  const [clock, faults] = await Promise.all([read<ClockState>("clock"), read<ActiveFault[]>("faults")]);
  const complaint = el("p", { role: "alert", class: "bad" });
  const perform = async (method: string, path: string, body?: unknown) => {
    complaint.textContent = (await act(method, path, body)) ?? "";
  };
  const minutes = input("minutes", "Minutes", "60", "number");
  return [
    complaint,
    el("h2", {}, "Clock"),
    form([minutes], "Advance", (values) => {
      void perform("POST", "clock", { do: "advance", ms: Number(values.get("minutes")) * 60_000 });
    }),
    clock.frozen
      ? button("Resume", () => void perform("POST", "clock", { do: "resume" }))
      : button("Freeze", () => void perform("POST", "clock", { do: "freeze" })),
    el("h2", {}, "Faults"),
    faults.length === 0
      ? nothing("No faults.")
      : table(
          ["Fault", "Struck", ""],
          faults.map(({ id, fault, struck }) => [
            el("code", {}, JSON.stringify(fault)),
            String(struck),
            button("Remove fault", () => void perform("DELETE", `faults/${id}`)),
          ]),
        ),
    form(
      [
        select("kind", "Kind", [
          "status before",
          "status after",
          "drop before",
          "drop after",
          "cut",
          "rateLimit",
          "stale",
        ]),
        input("route", "Route", "/databases"),
        select("method", "Method", ["POST", "GET", "PATCH", "DELETE", "PUT"]),
        input("count", "Times", "1", "number"),
      ],
      "Add fault",
      (values) => void perform("POST", "faults", faultOf(values)),
    ),
    el("h2", {}, "Reset"),
    button("Remove everything", () => {
      if (confirm("Remove every resource, request and setting?")) void perform("POST", "reset");
    }),
  ];
};

function faultOf(values: ReadonlyMap<string, string>): unknown {
  const [kind, when] = (values.get("kind") ?? "").split(" ");
  return {
    kind,
    ...(when !== undefined && { when }),
    ...(kind === "status" && { status: 500 }),
    route: values.get("route"),
    method: values.get("method"),
    count: Number(values.get("count")),
  };
}

export const views: ReadonlyMap<string, View> = new Map([
  ["resources", resources],
  ["requests", requests],
  ["mail", mail],
  ["deliveries", deliveries],
  ["controls", controls],
]);
