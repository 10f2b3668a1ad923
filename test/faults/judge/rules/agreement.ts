import type { Evidence } from "../../evidence/evidence.js";
import type { Phase } from "../../evidence/phase.js";
import type { Live } from "../../evidence/service.js";
import type { DeclaredProgram, StateResource } from "../../evidence/stack.js";
import {
  aliveIn,
  declaredAs,
  isRecord,
  lacksId,
  member,
  previewAfterRecovery,
  programOf,
  propertyOf,
} from "../facts.js";
import { type Finding, finding, phaseLine, type Rule } from "../violation.js";
import { differences, type Field, isReady, unknownOutputs } from "../wire.js";

/** After recovery, the program, the state and the service agree in every field. */
export const agreement: Rule = {
  name: "agreement",
  judge(evidence) {
    const phase = previewAfterRecovery(evidence);
    if (phase?.outcome !== "ok") return [];
    return phase.state.resources
      .filter(({ kind, external, pendingDelete }) => kind !== "VpsAction" && !external && !pendingDelete)
      .flatMap((entry) => judged(evidence, phase, entry));
  },
};

function judged(evidence: Evidence, phase: Phase, entry: StateResource): Finding[] {
  const live = aliveIn(phase, entry.kind, entry.id);
  const line = phaseLine(evidence, evidence.phases.indexOf(phase));
  if (live === undefined) {
    if (propertyOf(entry.outputs, "expired") === true || lacksId(evidence, entry)) return [];
    return [finding(`${entry.kind} ${entry.id} is in the state and not at the service`, line)];
  }
  const stateValue = (name: string) => propertyOf(entry.outputs, name);
  const isBlind = evidence.mode === "documented";
  const given = declared(programOf(evidence, phase), phase, entry);
  const isWarned = warnedOf(evidence, entry);
  const isMisled = misledOn(evidence, phase, live);
  const names = (found: readonly Field[], whose: string) =>
    found.filter((field) => !isWarned(field)).map(({ name }) => `${name} of the ${whose}`);
  const wrong = [
    ...names(
      differences(live, stateValue, isBlind ? "inputs" : undefined)
        .filter((field) => !isMisled(field))
        .filter(({ name }) => name !== "status" || !wasPending(evidence, phase, live, stateValue("status"))),
      "state",
    ),
    ...names(
      differences(live, given, "inputs").filter(
        (field) => !isMisled(field) || !isCopied(evidence, entry, field),
      ),
      "program",
    ),
    ...(isBlind ? [] : unknownOutputs(live, stateValue))
      .filter((field) => !isMisled(field))
      .map(({ name }) => `the state has no ${name}, which the service shows`),
    ...(isReady(live.kind, live.fields) ? [] : [`its status is ${String(live.fields["status"])}`]),
    ...entry.initErrors.map((error) => `unfinished in the state: ${error}`),
  ];
  if (wrong.length === 0) return [];
  return [
    finding(
      `${entry.kind} ${entry.id} does not agree with the service: ${wrong.join("; ")}`,
      line,
      shown(live, entry),
    ),
  ];
}

/** Adoption accepts fields that the service does not show and no request changes, with a warning. */
function warnedOf({ phases }: Evidence, { urn }: StateResource): (field: Field) => boolean {
  const warnings = phases
    .flatMap(({ printed }) => printed)
    .filter((printed) => printed.kind === "warning" && printed.urn === urn && /adopted/.test(printed.text));
  return ({ name }) => warnings.some(({ text }) => new RegExp(`\\b${name}\\b`).test(text));
}

/** Whether the user copied the value into the program from a message. */
const isCopied = ({ phases }: Evidence, { urn }: StateResource, { name }: Field): boolean =>
  phases
    .flatMap(({ typed }) => typed)
    .some((fix) => fix.do === "input" && fix.urn === urn && fix.input === name);

/** Whether the last refresh read this status, before it changed to the current one. */
function wasPending({ phases, exchanges }: Evidence, last: Phase, live: Live, status: unknown): boolean {
  const refresh = phases.slice(0, phases.indexOf(last)).findLast(({ command }) => command === "refresh");
  return exchanges
    .slice(...(refresh?.exchanges ?? [0, 0]))
    .flatMap(({ sent }) => itemsIn(sent?.body))
    .some((item) => item["id"] === live.id && item["status"] === status);
}

/** Whether the last response showed another value of the field, so that the state cannot know better. */
function misledOn({ exchanges, faults }: Evidence, phase: Phase, live: Live): (field: Field) => boolean {
  const last = exchanges
    .slice(0, phase.exchanges[0])
    .filter(({ sent }) => sent !== undefined && sent.status < 300)
    .flatMap((exchange) => itemsIn(exchange.sent?.body).map((item) => ({ item, exchange })))
    .findLast(({ item }) => [item["id"], item["inbox_id"]].includes(live.id));
  const isStruck = faults.some(
    ({ class: of, struck }) =>
      lasting.has(of) || (last !== undefined && struck.includes(last.exchange.index)),
  );
  if (!isStruck || !last) return () => false;
  return ({ shownAs, wire }) => {
    const there = member(live.fields, ...wire);
    const shown = last.item[shownAs];
    // A mask hides the secret, but another response may have shown it.
    if (/[*•]{3}/.test(String(shown)))
      return !exchanges.some(({ sent }) => JSON.stringify(sent?.body ?? "").includes(passwordOf(live)));
    if (shownAs === "specs") return !isRecord(shown) || Object.keys(shown).length < 3;
    return shownAs === "connection_uri" ? !String(shown).includes(passwordOf(live)) : shown !== there;
  };
}

const passwordOf = ({ fields }: Live): string => String(member(fields, "credentials", "password"));

/** Faults that last beyond the exchange that they struck. */
const lasting: ReadonlySet<string> = new Set(["stale", "normalised"]);

function itemsIn(body: unknown): Readonly<Record<string, unknown>>[] {
  const data = member(body, "data");
  return (Array.isArray(data) ? data : [data]).filter(isRecord);
}

/** Returns the inputs of the program, with references resolved. */
function declared(
  program: DeclaredProgram | undefined,
  phase: Phase,
  entry: StateResource,
): (name: string) => unknown {
  const inputs = declaredAs(program, entry.urn)?.inputs ?? {};
  return (name) => {
    const value = inputs[name];
    if (!isRecord(value)) return value;
    if (!("$ref" in value)) return "$secret" in value ? value["$secret"] : value;
    const urn = program?.resources.find((resource) => resource.name === value["$ref"])?.urn;
    const other = phase.state.resources.find((resource) => resource.urn === urn && !resource.pendingDelete);
    const output = String(value["output"]);
    return output === "id" ? other?.id : other && propertyOf(other.outputs, output);
  };
}

const shown = (live: Live, { outputs }: StateResource): string =>
  `service ${JSON.stringify(live.fields)}; state ${JSON.stringify(outputs)}`;
