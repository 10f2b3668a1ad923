import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import type { Filter } from "./campaign.js";
import { mutantNamed } from "./hunt.js";
import { patchOf } from "./mutants/index.js";

/** What the command was asked for. */
export const { values: options } = parseArgs({
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
    /** Only hunts for the broken providers. */
    mutants: { type: "boolean", default: false },
    /** One of them, for `--mutants` or for `--replay`. */
    mutant: { type: "string" },
    /** Only so many random rounds of change on one stack, with a fault at one request in twenty. */
    rounds: { type: "string" },
    /** On the real engine with real processes: one case for each kind, operation and class of fault. */
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

const { replay, mutant, mode, kind, scenario, fault } = options;

/** Only a part of the cases is meant. */
export const isPart = [replay, mutant, mode, kind, scenario, fault].some((each) => each !== undefined);

/** Neither a part nor a sample: the cases, the rounds and the broken providers. */
export const isWhole =
  !isPart && options.sample === undefined && !options.mutants && !options["whole-engine"];
