import { type ChildProcess, fork } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { randomFrom } from "../../sandbox/test/random.js";
import { casesOf, inParallel, plansFor, randomPairs, runClean, shuffled } from "./campaign.js";
import { runCase } from "./case/run-case.js";
import { type Caught, huntAll } from "./hunt.js";
import { filter, isPart, isWhole, options } from "./options.js";
import { Report, type Verdict, verdictOn } from "./report.js";
import { keepCases, keepMutants, repeatFailed, writeDocument } from "./results.js";
import { showRounds } from "./rounds-report.js";
import { stratified } from "./sampling.js";
import { show } from "./show.js";
import { runWhole } from "./whole/run.js";

/** The number of rounds in the whole campaign. */
const ROUNDS = 300;

const report = new Report();
const hunted: Caught[] = [];
const began = performance.now();
const seconds = () => Math.round((performance.now() - began) / 1000);

const SANDBOX_CAMPAIGN =
  "SANDBOX_CRASHES=100 npx vitest run --project 'end to end' test/faults/sandbox (SANDBOX_CRASH_SEED repeats one)";

/** A message from a child process to its parent. */
type Message = { readonly verdict: Verdict } | { readonly caught: Caught };

function send(message: Message): void {
  if (process.send) process.send(message);
  else receive(message);
}

function receive(message: Message): void {
  if ("verdict" in message) addVerdict(message.verdict);
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

function addVerdict(verdict: Verdict): void {
  for (const { rule, text, entries } of report.add(verdict)) {
    console.log(
      `✗ ${verdict.id}\n    ${rule}: ${text.slice(0, 400)}\n    ${entries.at(-1)?.slice(0, 400) ?? ""}`,
    );
  }
  const done = report.verdicts.length;
  if (done % 500 === 0) console.log(`… ${done} runs in ${seconds()} s, ${report.failed} failed`);
}

/** Runs this process's share of the campaign. */
async function work(share: number, of: number): Promise<void> {
  if (options.mutants) {
    const isMeant = (name: string, index: number) =>
      index % of === share && (options.mutant === undefined || name === options.mutant);
    await huntAll(filter.seed, isMeant, (caught) => send({ caught }));
    return;
  }
  // Each plan has its own random numbers, so that neither the load nor the number of processes changes its pairs.
  const plans = plansFor(filter)
    .map((plan, index) => ({ plan, index, random: randomFrom(filter.seed + index) }))
    .filter(({ index }) => index % of === share);
  const learned = new Map<number, ReturnType<typeof casesOf>>();
  const isClean = options.replay !== undefined && !options.replay.includes(" ");
  await inParallel(plans, async ({ plan, index, random }) => {
    const { evidence, seen } = await runClean(plan, filter);
    if (options.replay === undefined || isClean) send({ verdict: verdictOn(evidence) });
    if (isClean) show(evidence);
    const isPaired = options.replay === undefined && options.fault === undefined;
    const pairs = isPaired ? randomPairs(plan, seen, filter, Number(options.pairs), random) : [];
    learned.set(index, [...casesOf(plan, seen, filter), ...pairs]);
  });
  const cases = plans.flatMap(({ index }) => learned.get(index) ?? []);
  const { sample } = options;
  const order = options.stratified
    ? stratified(cases, filter.seed)
    : shuffled(cases, randomFrom(filter.seed + share));
  const chosen = sample === undefined ? cases : order.slice(0, Math.ceil(Number(sample) / of));
  await inParallel(chosen, async (each) => {
    const evidence = await runCase(each);
    send({ verdict: verdictOn(evidence) });
    if (options.replay !== undefined) show(evidence);
  });
}

const processes = options.replay === undefined ? Number(options.processes) : 1;

/** Starts a child process with these arguments. It ends with this one. */
function forked(args: readonly string[], hear: (message: Message) => void): ChildProcess {
  const child = fork(fileURLToPath(import.meta.url), args, { execArgv: ["--max-semi-space-size=64"] });
  process.once("exit", () => child.kill());
  return child.on("message", hear);
}

/** Runs the campaign in child processes. */
async function inProcesses(...more: string[]): Promise<void> {
  const ends = Array.from({ length: processes }, (_, index) => {
    const child = forked([...process.argv.slice(2), ...more, "--share", `${index}/${processes}`], receive);
    return new Promise<number>((resolve) => child.once("exit", (code) => resolve(code ?? 1)));
  });
  const codes = await Promise.all(ends);
  if (codes.some((code) => code !== 0))
    throw new Error(`a part of the campaign ended with ${codes.join(", ")}`);
}

/** Runs one case in a child process, which needs no share of the campaign. */
function inProcess(id: string): Promise<Verdict> {
  return new Promise((resolve, reject) => {
    const child = forked(["--seed", options.seed, "--replay", id, "--share", "0/1"], (message) => {
      receive(message);
      if ("verdict" in message) resolve(message.verdict);
    });
    child.once("exit", () => reject(new Error(`${id} ended without a verdict`)));
  });
}

/** Returns the command of this run, without `--json`, and the time since `start`. */
const runSince = (start: number) => ({
  command: ["npm run faults", ...(args.length > 0 ? ["--", ...args] : [])].join(" "),
  seconds: Math.round((performance.now() - start) / 1000),
});

const args = process.argv
  .slice(2)
  .filter((arg, index, all) => arg !== "--json" && all[index - 1] !== "--json");

async function runAll(): Promise<boolean> {
  if (!options.mutants) {
    await inProcesses();
    if (!isPart) keepCases(runSince(began), report.verdicts);
  }
  const areRoundsWhole = !isWhole || (await showRounds(ROUNDS, filter.seed));
  if (isWhole || options.mutants) {
    const start = performance.now();
    await inProcesses(...(options.mutants ? [] : ["--mutants"]));
    if (options.mutant === undefined) keepMutants(runSince(start), hunted);
  }
  return areRoundsWhole;
}

/** Prints the results (after an interruption, the results so far), and exits. */
function finish(areRoundsWhole: boolean): never {
  for (const line of report.causes()) console.log(line);
  if (report.verdicts.length > 0) {
    console.log(`${report.verdicts.length} runs in ${processes} processes, seed ${filter.seed}`);
    for (const line of report.counts()) console.log(line);
    console.log(`${report.failed} failed`);
  }
  const caught = hunted.filter(({ by }) => by !== undefined).length;
  if (hunted.length > 0) console.log(`mutants caught ${caught}/${hunted.length}`);
  if (isWhole) console.log(`the sandbox's own crashes: ${SANDBOX_CAMPAIGN}`);
  console.log(`${seconds()} s`);
  if (options.json) writeFileSync(options.json, JSON.stringify(report.verdicts, null, 1));
  process.exit(report.failed > 0 || caught < hunted.length || !areRoundsWhole ? 1 : 0);
}

if (options.document) {
  writeDocument();
  process.exit(0);
}
if (options.share) {
  const [index, count] = options.share.split("/").map(Number);
  await work(index ?? 0, count ?? 1);
  process.exit(0);
}
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => finish(true));
if (options.again) {
  await repeatFailed(inProcess);
  finish(true);
}
if (options.rounds) finish(await showRounds(Number(options.rounds), filter.seed));
if (options["whole-engine"]) {
  const sample = options.sample === undefined ? undefined : Number(options.sample);
  await runWhole(filter, sample, (verdict, evidence) => {
    addVerdict(verdict);
    if (options.replay !== undefined) show(evidence);
  });
  finish(true);
}
finish(await runAll());
