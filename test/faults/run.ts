import { fork } from "node:child_process";
import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { randomFrom } from "../../sandbox/test/random.js";
import { casesOf, type Filter, inParallel, learn, plansFor, randomPairs, shuffled } from "./campaign.js";
import type { Evidence } from "./evidence.js";
import { type Caught, huntAll, mutantNamed } from "./hunt.js";
import { knownOpen } from "./known-open.js";
import { patchOf } from "./mutants/index.js";
import { Report, type Verdict, verdictOn } from "./report.js";
import { keepCases, keepMutants, writeDocument } from "./results.js";
import { showRounds } from "./rounds-report.js";
import { runCase } from "./run-case.js";
import { stratified } from "./sampling.js";
import { runWhole } from "./whole/run.js";

const { values: options } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    /** So many cases, chosen by the seed, instead of all. */
    sample: { type: "string" },
    /** The sample takes every kind and class of faults in turn. */
    stratified: { type: "boolean", default: false },
    /** Part of what makes a sample the same again. */
    processes: { type: "string", default: String(availableParallelism()) },
    /** Writes docs/failure-model.md from the last runs, and runs nothing. */
    document: { type: "boolean", default: false },
    /** So many pairs of faults for each scenario. */
    pairs: { type: "string", default: "4" },
    mode: { type: "string" },
    kind: { type: "string" },
    scenario: { type: "string" },
    fault: { type: "string" },
    replay: { type: "string" },
    /** Hunts for the broken providers, and does nothing else. */
    mutants: { type: "boolean", default: false },
    /** One of them, for `--mutants` or for `--replay`. */
    mutant: { type: "string" },
    /** So many random rounds of change on one stack, with a fault at one request in twenty. */
    rounds: { type: "string" },
    /** On the real engine with real processes: one case for each kind, operation and class of fault. */
    "whole-engine": { type: "boolean", default: false },
    json: { type: "string" },
    share: { type: "string" },
  },
});

const filter: Filter = {
  seed: Number(options.seed),
  mode: options.mode,
  kind: options.kind,
  scenario: options.scenario,
  fault: options.fault,
  id: options.replay,
  mutant: mutantOf(options.mutant),
};

function mutantOf(name: string | undefined) {
  const mutant = name === undefined ? undefined : mutantNamed(name);
  if (name !== undefined && !mutant) throw new Error(`there is no mutant "${name}"`);
  return mutant && patchOf(mutant);
}

const report = new Report();
const hunted: Caught[] = [];
const began = performance.now();
const seconds = () => Math.round((performance.now() - began) / 1000);

const SANDBOX_CAMPAIGN =
  "SANDBOX_CRASHES=100 npx vitest run --project 'end to end' test/faults/sandbox (SANDBOX_CRASH_SEED repeats one)";

/** What a child says to its parent. */
type Message = { readonly verdict: Verdict } | { readonly caught: Caught };

function tell(message: Message): void {
  if (process.send) process.send(message);
  else hear(message);
}

function hear(message: Message): void {
  if ("verdict" in message) take(message.verdict);
  else {
    const { mutant, by, tried, breaks, falseAlarms } = message.caught;
    hunted.push(message.caught);
    console.log(
      by
        ? `mutant ${mutant}: caught by ${by.rule}, ${tried} tried`
        : `✗ mutant ${mutant} (${breaks}) was not caught, ${tried} tried`,
    );
    for (const { rule, text, replay } of falseAlarms)
      console.log(`    the provider itself breaks ${rule}: ${text}\n    ${replay}`);
  }
}

function take(verdict: Verdict): void {
  for (const { rule, text, entries } of report.add(verdict)) {
    console.log(
      `✗ ${verdict.id}\n    ${rule}: ${text.slice(0, 400)}\n    ${entries.at(-1)?.slice(0, 400) ?? ""}`,
    );
  }
  const done = report.verdicts.length;
  if (done % 500 === 0) console.log(`… ${done} runs in ${seconds()} s, ${report.failed} failed`);
}

function show(evidence: Evidence): void {
  for (const phase of evidence.phases) {
    const typed = JSON.stringify(phase.typed);
    console.log(`== ${phase.name}${phase.attempt ?? ""} ${phase.command}: ${phase.outcome}; typed ${typed}`);
    for (const { method, target, service, sent, fault, at } of evidence.exchanges.slice(...phase.exchanges)) {
      const committed = service?.committed ? " committed" : "";
      console.log(
        `   ${Math.round(at % 1e9)} ${method} ${target} → ${service?.status ?? "–"}${committed} → ${sent?.status ?? "–"} ${fault ?? ""}`,
      );
    }
    for (const step of phase.steps)
      console.log(`   step ${step.op} ${step.outcome} ${step.id ?? ""} ${step.keys ?? ""}`);
    for (const { kind, text } of phase.printed) if (kind !== "status") console.log(`   ${kind}: ${text}`);
    const state = phase.state.resources.map(
      ({ kind, id, initErrors }) => `${kind} ${id}${initErrors.length > 0 ? "!" : ""}`,
    );
    console.log(`   state: ${state.join(", ")}`);
    const live = phase.live.filter(({ tenant }) => tenant !== "another").map(({ id }) => id);
    console.log(`   live: ${live.join(", ")}`);
  }
}

/** Runs the share of the campaign that is this process's. */
async function work(share: number, of: number): Promise<void> {
  if (options.mutants) {
    const isMeant = (name: string, index: number) =>
      index % of === share && (options.mutant === undefined || name === options.mutant);
    await huntAll(filter.seed, isMeant, (caught) => tell({ caught }));
    return;
  }
  const random = randomFrom(filter.seed + share);
  const plans = plansFor(filter).filter((_plan, index) => index % of === share);
  const cases: ReturnType<typeof casesOf> = [];
  const isClean = options.replay !== undefined && !options.replay.includes(" ");
  await inParallel(plans, async (plan) => {
    const { evidence, seen } = await learn(plan, filter);
    if (options.replay === undefined || isClean) tell({ verdict: verdictOn(evidence) });
    if (isClean) show(evidence);
    cases.push(...casesOf(plan, seen, filter));
    if (options.replay === undefined && options.fault === undefined)
      cases.push(...randomPairs(plan, seen, filter, Number(options.pairs), random));
  });
  const { sample } = options;
  const order = options.stratified ? stratified(cases, filter.seed) : shuffled(cases, random);
  const chosen = sample === undefined ? cases : order.slice(0, Math.ceil(Number(sample) / of));
  await inParallel(chosen, async (each) => {
    const evidence = await runCase(each);
    tell({ verdict: verdictOn(evidence) });
    if (options.replay !== undefined) show(evidence);
  });
}

/** Runs the whole in as many processes as there are cores. */
async function shareOut(): Promise<void> {
  const count = options.replay === undefined ? Number(options.processes) : 1;
  const ends = Array.from({ length: count }, (_, index) => {
    const share = [...process.argv.slice(2), "--share", `${index}/${count}`];
    const child = fork(fileURLToPath(import.meta.url), share, { execArgv: ["--max-semi-space-size=64"] });
    process.once("exit", () => child.kill());
    child.on("message", (message: Message) => hear(message));
    return new Promise<number>((resolve) => child.once("exit", (code) => resolve(code ?? 1)));
  });
  // Interrupted, it says what it has found so far.
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => finish(count, "interrupted"));
  const codes = await Promise.all(ends);
  if (codes.some((code) => code !== 0)) console.log(`a part of the campaign ended with ${codes.join(", ")}`);
  finish(count);
}

function finish(count: number, end: "whole" | "interrupted" = "whole"): never {
  for (const line of report.causes()) console.log(line);
  console.log(`${report.verdicts.length} runs in ${seconds()} s in ${count} processes, seed ${filter.seed}`);
  for (const line of report.counts()) console.log(line);
  console.log(`${report.failed} failed`);
  const caught = hunted.filter(({ by }) => by !== undefined).length;
  if (hunted.length > 0) console.log(`mutants caught ${caught}/${hunted.length}`);
  console.log(`known open defects: ${knownOpen.length} (test/faults/known-open.ts)`);
  console.log(`the sandbox's own crashes: ${SANDBOX_CAMPAIGN}`);
  if (end === "whole") keep();
  if (options.json) writeFileSync(options.json, JSON.stringify(report.verdicts, null, 1));
  process.exit(report.failed > 0 || caught < hunted.length ? 1 : 0);
}

/** Where the results were written to as well is no part of what was run. */
const withoutFile = (args: readonly string[]): string[] =>
  args.filter((arg, index) => arg !== "--json" && args[index - 1] !== "--json");

/** Keeps the results for `--document`, unless only a part was meant. */
function keep(): void {
  const run = {
    command: ["npm run faults --", ...withoutFile(process.argv.slice(2))].join(" "),
    seconds: seconds(),
  };
  const { replay, mutant, mode, kind, scenario, fault } = options;
  const isPart = [replay, mutant, mode, kind, scenario, fault].some((each) => each !== undefined);
  if (options["whole-engine"]) return;
  if (options.mutants) keepMutants(run, hunted);
  else if (!isPart) keepCases(run, report.verdicts);
}

if (options.document) {
  writeDocument();
  process.exit(0);
}
if (options.rounds) {
  const isWhole = await showRounds(Number(options.rounds), filter.seed);
  process.exit(isWhole ? 0 : 1);
}
if (options["whole-engine"]) {
  const sample = options.sample === undefined ? undefined : Number(options.sample);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => finish(1));
  await runWhole(filter, sample, (verdict, evidence) => {
    take(verdict);
    if (options.replay !== undefined) show(evidence);
  });
  finish(1);
}
if (options.share) {
  const [index, count] = options.share.split("/").map(Number);
  await work(index ?? 0, count ?? 1);
  process.exit(0);
}
await shareOut();
