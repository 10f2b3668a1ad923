import { fork } from "node:child_process";
import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { faultsFor, type Seen } from "./catalogue.js";
import type { ApiMode, Evidence } from "./evidence.js";
import { type Case, runCase, type StrikeAt } from "./run-case.js";
import { type Plan, plansOf } from "./scenarios.js";

/*
 * The campaign: every request of every scenario, with every fault that can strike it.
 */

const { values: options } = parseArgs({
  options: {
    replay: { type: "string" },
    kind: { type: "string" },
    fault: { type: "string" },
    mode: { type: "string" },
    scenario: { type: "string" },
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    show: { type: "boolean", default: false },
    json: { type: "string" },
    share: { type: "string" },
  },
});

const seed = Number(options.seed);

function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const idOf = (plan: Plan, strikes: readonly StrikeAt[]): string =>
  [
    `${plan.mode}/${plan.scenario.name}`,
    ...strikes.map(({ seen, fault }) => `${seen.index}:${fault.name}:${fault.span}`),
  ].join(" ");

async function learn(plan: Plan): Promise<{ evidence: Evidence; seen: Seen[] }> {
  const evidence = await runCase({ id: idOf(plan, []), seed, plan, strikes: [] });
  const broken = evidence.phases.find(({ name }) => name === "broken");
  const [from, to] = broken?.exchanges ?? [0, 0];
  const counts = new Map<string, number>();
  const seen = evidence.exchanges
    .slice(from, to)
    .map(({ method, route, target, sent, requestBody }, index) => {
      const key = `${method} ${route}`;
      const occurrence = counts.get(key) ?? 0;
      counts.set(key, occurrence + 1);
      const answer = sent && { status: sent.status, headers: sent.headers, body: sent.body };
      return { index, occurrence, method, route, target, answer, requestBody };
    });
  return { evidence, seen };
}

/** What the parent is told of a run. */
interface Told {
  readonly id: string;
  readonly replay: string;
  readonly kind: string;
  readonly faults: readonly string[];
  readonly result: string;
  readonly runs: number;
  readonly complaints: readonly string[];
  readonly said: readonly string[];
}

function toldOf(evidence: Evidence): Told {
  const { id, replay, scenario, faults, ending, phases } = evidence;
  const last = phases.filter(({ outcome }) => outcome === "failed").at(-1);
  const said = last?.printed.filter(({ kind }) => kind === "diagnostic").map(({ text }) => text) ?? [];
  return {
    id,
    replay,
    kind: scenario.kind,
    faults: faults.map(({ class: of }) => of),
    result: ending.result,
    runs: ending.runs,
    complaints: ending.complaints,
    said: ending.result === "recovered" ? [] : said,
  };
}

const results = new Map<string, number>();
const failures: Told[] = [];
let done = 0;
const began = performance.now();

function report(told: Told): void {
  done += 1;
  const { result, runs, complaints, said, id } = told;
  const key = result === "recovered" ? `recovered in ${runs} runs` : result;
  results.set(key, (results.get(key) ?? 0) + 1);
  if (complaints.length > 0 || (result !== "recovered" && result !== "unstruck")) {
    failures.push(told);
    console.log(`✗ ${id}: ${[result, ...complaints, ...said].join(" | ").slice(0, 700)}`);
  }
  if (done % 500 === 0) console.log(`… ${done} runs in ${Math.round((performance.now() - began) / 1000)} s`);
}

const tell = (told: Told): void => (process.send ? void process.send(told) : report(told));

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
  }
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const workers = Array.from({ length: 2 }, async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  });
  await Promise.all(workers);
}

function shuffled<T>(items: readonly T[]): T[] {
  const random = randomFrom(seed);
  return items
    .map((each) => ({ each, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ each }) => each);
}

/** Runs the share of the campaign that is this process's. */
async function work(share: number, of: number): Promise<void> {
  const replayed = options.replay?.split(" ");
  const modes: readonly ApiMode[] = ["conventional", "documented"];
  const plans = modes
    .filter((mode) => options.mode === undefined || mode === options.mode)
    .flatMap(plansOf)
    .filter(({ scenario }) => options.kind === undefined || scenario.kind === options.kind)
    .filter(({ scenario }) => options.scenario === undefined || scenario.name === options.scenario)
    .filter(({ scenario, mode }) => replayed === undefined || `${mode}/${scenario.name}` === replayed[0])
    .filter((_plan, index) => index % of === share);

  const cases: Case[] = [];
  await inParallel(plans, async (plan) => {
    const { evidence, seen } = await learn(plan);
    if (replayed === undefined || replayed.length === 1) tell(toldOf(evidence));
    if (replayed?.length === 1 && options.show) show(evidence);
    for (const request of seen) {
      for (const fault of faultsFor(request, plan.mode)) {
        const strikes = [{ seen: request, fault }];
        const id = idOf(plan, strikes);
        if (options.fault !== undefined && !fault.name.startsWith(options.fault)) continue;
        if (options.replay !== undefined && id !== options.replay) continue;
        cases.push({ id, seed, plan, strikes });
      }
    }
  });
  const chosen =
    options.sample === undefined ? cases : shuffled(cases).slice(0, Math.ceil(Number(options.sample) / of));
  await inParallel(chosen, async (each) => {
    const evidence = await runCase(each);
    tell(toldOf(evidence));
    if (options.show) show(evidence);
  });
}

/** Runs the whole in as many processes as there are cores. */
async function share(): Promise<void> {
  const count = options.replay === undefined ? availableParallelism() : 1;
  const ends = Array.from({ length: count }, (_, index) => {
    const child = fork(fileURLToPath(import.meta.url), [
      ...process.argv.slice(2),
      "--share",
      `${index}/${count}`,
    ]);
    child.on("message", (told: Told) => report(told));
    return new Promise<number>((resolve) => child.once("exit", (code) => resolve(code ?? 1)));
  });
  const codes = await Promise.all(ends);
  if (codes.some((code) => code !== 0))
    throw new Error(`a part of the campaign ended with ${codes.join(", ")}`);
  const took = (performance.now() - began) / 1000;
  console.log(`${done} runs in ${Math.round(took)} s on ${count} cores, seed ${seed}`);
  for (const [key, number] of [...results].sort()) console.log(`  ${key}: ${number}`);
  console.log(`${failures.length} failures`);
  for (const { replay } of failures.slice(0, 20)) console.log(`  ${replay}`);
  if (options.json)
    writeFileSync(options.json, JSON.stringify({ seed, results: [...results], failures }, null, 1));
}

if (options.share) {
  const [index, count] = options.share.split("/").map(Number);
  await work(index ?? 0, count ?? 1);
  process.exit(0);
}
await share();
process.exit(failures.length > 0 ? 1 : 0);
