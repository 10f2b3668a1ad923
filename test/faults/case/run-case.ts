import type { Evidence } from "../evidence/evidence.js";
import { openFast } from "../model-world.js";
import type { OpenWorld } from "../world.js";
import type { Case } from "./case.js";
import { Run } from "./run.js";

/** Opens a stack that runs round after round. */
export const openRun = (given: Case): Promise<Run> => Run.open(given, openFast);

/** Runs one case from an empty account to the end of its destroy. */
export async function runCase(given: Case, open: OpenWorld = openFast): Promise<Evidence> {
  const run = await Run.open(given, open);
  try {
    await run.all();
  } catch (error) {
    run.complain(`the campaign itself failed: ${error instanceof Error ? error.stack : String(error)}`);
  } finally {
    await run.close();
  }
  return run.evidence();
}
