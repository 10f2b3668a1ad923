import type { About, LiveResource } from "./control.js";
import { type Child, el, json } from "./dom.js";
import { type Column, type Listing, list, type Shown } from "./listing.js";
import { state } from "./state.js";

/** A resource with what its row shows. */
interface Entry {
  readonly resource: LiveResource;
  readonly name: string;
  readonly status: string;
  /** Whether it is real or simulated; empty where that is no question. */
  readonly runs: string;
}

/** Lists resources by kind, under what people know them by: a link's target, the database of a schedule. */
export function listResources(all: readonly LiveResource[], about: About, filter: string): Shown[] {
  const names = new Map(all.map(({ id, fields }) => [id, text(fields["name"])]));
  const entries = all.map(
    (resource): Entry => ({
      resource,
      name: nameOf(resource, names),
      status: text(resource.fields["status"]),
      runs: runsAs(resource, about),
    }),
  );
  return [...new Set(all.map(({ kind }) => kind))].map((kind) =>
    list(
      listingOf(
        kind,
        entries.filter(({ resource }) => resource.kind === kind),
      ),
      filter,
    ),
  );
}

function listingOf(kind: string, items: readonly Entry[]): Listing<Entry> {
  const tenant: Column<Entry> = { head: "Tenant", as: "long", cell: ({ resource }) => resource.tenant };
  const id: Column<Entry> = { head: "Id", as: "narrow", cell: ({ resource }) => el("code", {}, resource.id) };
  return {
    title: kind,
    hasHeading: true,
    items: kind === "Link" ? items.toSorted((a, b) => (a.name < b.name ? -1 : 1)) : items,
    key: ({ resource }) => resource.id,
    columns: [...columnsOf(kind), tenant, id],
    note: ({ resource }) => text(resource.fields["status_reason"]),
    detail: ({ resource, name }) => json(resource.fields, `Fields of ${name}`),
  };
}

function columnsOf(kind: string): Column<Entry>[] {
  const field = (head: string, shown: (fields: LiveResource["fields"]) => Child): Column<Entry> => ({
    head,
    cell: ({ resource }) => shown(resource.fields),
  });
  const name = (head: string): Column<Entry> => ({ head, as: "name", cell: (entry) => entry.name });
  const status: Column<Entry> = {
    head: "State",
    as: "state",
    cell: (entry) => state(entry.status, entry.runs),
  };
  const plan = field("Plan", ({ plan }) => text(plan));
  switch (kind) {
    case "Link":
      return [
        name("Target"),
        { head: "Short link", as: "long", cell: ({ resource }) => shortLink(resource) },
        field("Clicks", ({ clicks_count }) => String(clicks_count)),
      ];
    case "Database":
      return [name("Name"), status, field("Engine", ({ engine, version }) => `${engine} ${version}`), plan];
    case "VpsInstance":
      return [name("Name"), status, field("Image", ({ image }) => text(image)), plan];
    case "BackupSchedule":
      return [name("Database"), field("Runs", scheduleOf)];
    case "Inbox":
      return [
        name("Address"),
        field("Messages", ({ message_count }) => String(message_count)),
        field("Expires", ({ expires_at }) => text(expires_at).slice(0, 16).replace("T", " ")),
      ];
    default:
      return [name("URL"), field("Events", ({ events }) => (Array.isArray(events) ? events.join(", ") : ""))];
  }
}

function nameOf({ fields, id }: LiveResource, names: ReadonlyMap<string, string>): string {
  const database = text(fields["database_id"]);
  const named = [
    fields["destination_url"],
    fields["name"],
    fields["email_address"],
    fields["url"],
    names.get(database),
    database,
  ];
  return named.map(text).find((each) => each !== "") ?? id;
}

function runsAs({ kind, fields }: LiveResource, { parts }: About): string {
  if (kind === "VpsInstance") return parts["servers"] ?? "";
  if (kind !== "Database") return "";
  return (fields["engine"] === "postgresql" ? parts["postgresql"] : parts["other engines"]) ?? "";
}

function scheduleOf({ frequency, hour_utc }: LiveResource["fields"]): string {
  return `${frequency} at ${String(hour_utc).padStart(2, "0")}:00 UTC`;
}

/** A link of this sandbox can be followed; one of another domain does not lead here. */
function shortLink({ tenant, fields }: LiveResource): Child {
  const [domain, slug] = [text(fields["domain"]), text(fields["slug"])];
  if (domain !== location.host) return `${domain}/${slug}`;
  const path = tenant === "local" ? `/${slug}` : `/~${tenant}/${slug}`;
  return el("a", { href: path }, path);
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
