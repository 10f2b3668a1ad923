import type { Evidence } from "../evidence/evidence.js";
import { type Fields, type KindName, kinds } from "../evidence/kinds.js";
import type { Phase } from "../evidence/phase.js";
import type { Exchange, Live } from "../evidence/service.js";
import type { Declared, DeclaredProgram, StateResource } from "../evidence/stack.js";

/*
 * What the rules share: the owner of a resource, the exchange that created it, and what a message mentions.
 */

/** Returns the member at a path, or undefined. */
export function member(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const step of path) {
    if (!isRecord(found)) return undefined;
    found = found[step];
  }
  return found;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The requests that create a resource. Specification: "Endpoints". */
const CREATING: Readonly<Record<string, KindName>> = {
  "POST /shortener/links": "Link",
  "POST /databases": "Database",
  "POST /vps/instances": "VpsInstance",
  "POST /tempmail/inboxes": "Inbox",
  "POST /webhooks": "Webhook",
  "PUT /databases/:id/backup-schedule": "BackupSchedule",
};

const kindCreatedBy = ({ method, route }: Exchange): KindName | undefined => CREATING[`${method} ${route}`];

/** A resource that a request of the provider created. */
export interface Creation {
  readonly kind: KindName;
  /** The id in the state; a schedule has its database's id. */
  readonly id: string;
  readonly exchange: Exchange;
  readonly phase: number;
}

export function creationsIn(evidence: Evidence): Creation[] {
  return evidence.exchanges.flatMap((exchange) => {
    const kind = kindCreatedBy(exchange);
    if (kind === undefined || !exchange.service?.committed) return [];
    const data = member(exchange.service.body, "data");
    const id =
      kind === "BackupSchedule"
        ? exchange.target.split("/")[2]
        : member(data, kind === "Inbox" ? "inbox_id" : "id");
    const phase = phaseOf(evidence, exchange);
    if (typeof id !== "string" || isLeftToExpire(evidence, kind, id, phase)) return [];
    return [{ kind, id, exchange, phase }];
  });
}

/** Whether a message says that an inbox expires. A second inbox is free, so the message is enough. */
export const saysItExpires = (messages: readonly string[]): boolean =>
  messages.some((text) => text.includes("expires by itself"));

/** A lost inbox is free and expires. A killed process cannot say so. */
const isLeftToExpire = ({ phases }: Evidence, kind: KindName, id: string, phase: number): boolean =>
  kind === "Inbox" &&
  phases[phase]?.outcome === "killed" &&
  !phases.some((each) => each.state.resources.some((entry) => entry.id === id));

/**
 * Whether an entry of the state has a stand-in for its id, because the service returned none, and a warning says so.
 * The specification shows no response to the creation of a webhook.
 */
export const lacksId = (evidence: Evidence, { id, urn }: StateResource): boolean =>
  id.startsWith("unnamed:") &&
  evidence.phases
    .flatMap(({ printed }) => printed)
    .some((printed) => printed.urn === urn && printed.text.includes("did not return its id"));

/** Returns the index of an exchange's phase. */
export function phaseOf({ phases }: Evidence, { index }: Exchange): number {
  return phases.findIndex(({ exchanges: [from, to] }) => index >= from && index < to);
}

export const exchangesIn = ({ exchanges }: Evidence, { exchanges: [from, to] }: Phase): readonly Exchange[] =>
  exchanges.slice(from, to);

/** Returns the id of a live resource in the state. */
const idOf = (live: Live): string =>
  live.kind === "BackupSchedule" ? String(live.fields["database_id"]) : live.id;

export function aliveIn(phase: Phase, kind: KindName, id: string): Live | undefined {
  return phase.live.find((live) => live.kind === kind && idOf(live) === id);
}

/** Whether its deletion is in progress and needs no further request. */
export const isLeaving = (live: Live): boolean => live.fields["status"] === "deleting";

export function isForeign({ foreign }: Evidence, kind: KindName, id: string): boolean {
  return foreign.some((planted) => planted.kind === kind && planted.id === id);
}

/** Returns the entry of the state that manages a resource. */
export function entryIn(phase: Phase, kind: KindName, id: string): StateResource | undefined {
  return phase.state.resources.find((entry) => entry.kind === kind && entry.id === id && !entry.external);
}

export function programOf({ programs }: Evidence, phase: Phase): DeclaredProgram | undefined {
  return phase.program === undefined ? undefined : programs[phase.program];
}

export const declaredAs = (program: DeclaredProgram | undefined, urn: string): Declared | undefined =>
  program?.resources.find((declared) => declared.urn === urn);

/** Returns the preview after recovery, when everything should hold; undefined if recovery failed. */
export function previewAfterRecovery({ phases }: Evidence): Phase | undefined {
  return phases.findLast(({ name }) => name === "preview");
}

/** Returns the errors and warnings from one phase to another. */
export function messagesIn(evidence: Evidence, from: number, to: number): string[] {
  return evidence.phases
    .slice(from, to + 1)
    .flatMap(({ printed }) => printed)
    .filter(({ kind }) => kind !== "status")
    .map(({ text }) => text);
}

/** Whether the provider received the id of a resource in the process that created it. */
function hasSeen({ exchanges }: Evidence, { id, exchange }: Creation): boolean {
  return exchanges.some(
    ({ index, process, sent }) =>
      process === exchange.process && index >= exchange.index && isReadable(sent) && holds(sent?.body, id),
  );
}

/** Whether a complete response arrived, in the service's envelope. Without it, the response may be a gateway's. */
const isReadable = (sent: Exchange["sent"]): boolean =>
  sent !== undefined && !sent.cut && member(sent.body, "status") === "success";

const holds = (body: unknown, text: string): boolean => JSON.stringify(body).includes(text);

/** Returns the name in a request that creates. */
function nameIn(body: unknown): string | undefined {
  for (const field of ["name", "slug", "prefix", "url"]) {
    const name = member(body, field);
    if (typeof name === "string") return name;
  }
  return undefined;
}

/** Whether messages mention a resource: by its id or, if the provider never received one, by its kind and name. */
export function isNamed(evidence: Evidence, creation: Creation, to: number): boolean {
  const messages = messagesIn(evidence, creation.phase, to);
  if (messages.some((text) => text.includes(creation.id))) return true;
  if (hasSeen(evidence, creation)) return false;
  const program = evidence.phases[creation.phase];
  const declared = program && programOf(evidence, program);
  const names = (declared?.resources ?? [])
    .filter(({ kind }) => kind === creation.kind)
    .map(({ name }) => name);
  const wireName = nameIn(creation.exchange.requestBody);
  const called = wireName === undefined ? names : [...names, wireName];
  return messages.some((text) => text.includes(creation.kind) && called.some((name) => text.includes(name)));
}

/** Whether no documented request shows such a resource, so that a lost one cannot be found. */
export const isUnknowable = ({ mode }: Evidence, kind: KindName): boolean =>
  mode === "documented" && kind !== "Link";

/** Whether the state has a pending creation of the kind. */
export const isPending = (phase: Phase | undefined, kind: KindName): boolean =>
  phase?.state.pending.some(({ urn }) => kindIn(urn) === kind) ?? false;

/** Returns the kind in a URN: `urn:pulumi:stack::project::pulumi-nodejs:dynamic/cloudservices:Link::name`. */
export function kindIn(urn: string): KindName | undefined {
  const type = urn.split("::")[2]?.split(":").at(-1);
  return kinds.find((kind) => kind === type);
}

/** Returns the plain value of a property in the state. */
export function propertyOf(fields: Fields, name: string): unknown {
  return plain(fields[name]);
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isRecord(value)) return value;
  if ("$secret" in value) return plain(value["$secret"]);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}
