import type { Evidence } from "../evidence/evidence.js";
import { type Fields, type KindName, kinds } from "../evidence/kinds.js";
import type { Phase } from "../evidence/phase.js";
import type { Exchange, Live } from "../evidence/service.js";
import type { Declared, DeclaredProgram, StateResource } from "../evidence/stack.js";

/*
 * What the rules have in common: whose a resource is, which exchange created it, and what a message names.
 */

/** The member at a path of members, or nothing where the way ends earlier. */
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

/** Specification: "Endpoints", the requests that make a resource. */
const CREATING: Readonly<Record<string, KindName>> = {
  "POST /shortener/links": "Link",
  "POST /databases": "Database",
  "POST /vps/instances": "VpsInstance",
  "POST /tempmail/inboxes": "Inbox",
  "POST /webhooks": "Webhook",
  "PUT /databases/:id/backup-schedule": "BackupSchedule",
};

const kindCreatedBy = ({ method, route }: Exchange): KindName | undefined => CREATING[`${method} ${route}`];

/** A resource that a request of the provider has made. */
export interface Creation {
  readonly kind: KindName;
  /** As the state knows it; a schedule is known by its database. */
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

/** An inbox is free and gone after its time, so a second one does no harm where a message says that there may be one. */
export const saysItExpires = (messages: readonly string[]): boolean =>
  messages.some((text) => text.includes("expires by itself"));

/** A lost inbox is free and expires by itself; a process that was killed cannot say so. */
const isLeftToExpire = ({ phases }: Evidence, kind: KindName, id: string, phase: number): boolean =>
  kind === "Inbox" &&
  phases[phase]?.outcome === "killed" &&
  !phases.some((each) => each.state.resources.some((entry) => entry.id === id));

/** The index of the phase into which an exchange falls. */
export function phaseOf({ phases }: Evidence, { index }: Exchange): number {
  return phases.findIndex(({ exchanges: [from, to] }) => index >= from && index < to);
}

export const exchangesIn = ({ exchanges }: Evidence, { exchanges: [from, to] }: Phase): readonly Exchange[] =>
  exchanges.slice(from, to);

/** The id by which the state knows a live resource. */
const idOf = (live: Live): string =>
  live.kind === "BackupSchedule" ? String(live.fields["database_id"]) : live.id;

export function aliveIn(phase: Phase, kind: KindName, id: string): Live | undefined {
  return phase.live.find((live) => live.kind === kind && idOf(live) === id);
}

/** Its deletion is under way and needs no one any more. */
export const isLeaving = (live: Live): boolean => live.fields["status"] === "deleting";

export function isForeign({ foreign }: Evidence, kind: KindName, id: string): boolean {
  return foreign.some((planted) => planted.kind === kind && planted.id === id);
}

/** The entry of the state that manages a resource. */
export function entryIn(phase: Phase, kind: KindName, id: string): StateResource | undefined {
  return phase.state.resources.find((entry) => entry.kind === kind && entry.id === id && !entry.external);
}

export function programOf({ programs }: Evidence, phase: Phase): DeclaredProgram | undefined {
  return phase.program === undefined ? undefined : programs[phase.program];
}

export const declaredAs = (program: DeclaredProgram | undefined, urn: string): Declared | undefined =>
  program?.resources.find((declared) => declared.urn === urn);

/** The program's last run before the preview, at whose end everything should hold; or nothing where it came to none. */
export function settledPhase({ phases }: Evidence): Phase | undefined {
  return phases.findLast(({ name }) => name === "preview");
}

/** What errors and warnings said from one phase to another. */
export function messagesIn(evidence: Evidence, from: number, to: number): string[] {
  return evidence.phases
    .slice(from, to + 1)
    .flatMap(({ printed }) => printed)
    .filter(({ kind }) => kind !== "status")
    .map(({ text }) => text);
}

/** Whether the provider has got to see the id of a resource in the process that made it. */
function hasSeen({ exchanges }: Evidence, { id, exchange }: Creation): boolean {
  return exchanges.some(
    ({ index, process, sent }) =>
      process === exchange.process && index >= exchange.index && isReadable(sent) && holds(sent?.body, id),
  );
}

/** The whole of the answer came, in the service's envelope: what comes without it may be anybody's. */
const isReadable = (sent: Exchange["sent"]): boolean =>
  sent !== undefined && !sent.cut && member(sent.body, "status") === "success";

const holds = (body: unknown, text: string): boolean => JSON.stringify(body).includes(text);

/** What a request to create calls the resource, in the wire's words. */
function nameIn(body: unknown): string | undefined {
  for (const field of ["name", "slug", "prefix", "url"]) {
    const name = member(body, field);
    if (typeof name === "string") return name;
  }
  return undefined;
}

/** Whether messages name a resource: by its id or, where the provider never saw one, by its kind and name. */
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

/** The specification shows no request that tells of such a resource, so nothing could know of a lost one. */
export const isUnknowable = ({ mode }: Evidence, kind: KindName): boolean =>
  mode === "documented" && kind !== "Link";

/** The state's record that the engine was creating something of the kind when it ended. */
export const isPending = (phase: Phase | undefined, kind: KindName): boolean =>
  phase?.state.pending.some(({ urn }) => kindIn(urn) === kind) ?? false;

/** The kind in a URN: `urn:pulumi:stack::project::pulumi-nodejs:dynamic/cloudservices:Link::name`. */
export function kindIn(urn: string): KindName | undefined {
  const type = urn.split("::")[2]?.split(":").at(-1);
  return kinds.find((kind) => kind === type);
}

/** The value of a property of the state, out of its mark of a secret. */
export function propertyOf(fields: Fields, name: string): unknown {
  return plain(fields[name]);
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isRecord(value)) return value;
  if ("$secret" in value) return plain(value["$secret"]);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}
