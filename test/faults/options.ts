import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import type { Filter } from "./campaign.js";
import { mutantNamed } from "./hunt.js";
import { patchOf } from "./mutants/index.js";

/** The options of the command line. */
export const { values: options } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    /** Runs this many cases, chosen by the seed. */
    sample: { type: "string" },
    /** The sample takes each kind and class of faults in turn. */
    stratified: { type: "boolean", default: false },
    /** The same sample needs the same number of processes. */
    processes: { type: "string", default: String(availableParallelism()) },
    /** Writes docs/failure-model.md from the last results, and runs nothing. */
    document: { type: "boolean", default: false },
    /** Runs the failed cases of the last run again, after a fix, and keeps their new verdicts. */
    again: { type: "boolean", default: false },
    /** The number of pairs of faults for each scenario. */
    pairs: { type: "string", default: "4" },
    mode: { type: "string" },
    kind: { type: "string" },
    scenario: { type: "string" },
    fault: { type: "string" },
    replay: { type: "string" },
    /** Hunts the mutants, and runs nothing else. */
    mutants: { type: "boolean", default: false },
    /** One mutant, for `--mutants` or `--replay`. */
    mutant: { type: "string" },
    /** Runs this many random rounds of change on one stack, and nothing else. */
    rounds: { type: "string" },
    /** The form of the provider: `dynamic` or `native`. `start.mjs` passes it on to all processes. */
    form: { type: "string", default: "dynamic" },
    /** Uses the real engine and real processes: one case for each kind, operation and class of faults. */
    "whole-engine": { type: "boolean", default: false },
    json: { type: "string" },
    share: { type: "string" },
  },
});

export const filter: Filter = {
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

const { replay, mutant, mode, kind, scenario, fault, form } = options;

/** The options select a part of the cases. */
export const isPart =
  form !== "dynamic" || [replay, mutant, mode, kind, scenario, fault].some((each) => each !== undefined);

/** The whole campaign: all cases, the rounds and the mutants. */
export const isWhole =
  !isPart && !options.again && options.sample === undefined && !options.mutants && !options["whole-engine"];
