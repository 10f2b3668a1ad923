/** Something that the reader can put right: shown as its message alone, without a stack. */
export class Problem extends Error {
  /** @override */
  name = "Problem";
}

/**
 * Runs a tool to its end; what goes wrong is told in one place, and Ctrl-C ends at once.
 *
 * @param {() => Promise<number>} main gives the exit code
 */
export async function runTool(main) {
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) {
    // Through exit, so that locks are given back and half-made folders removed.
    process.on(signal, () => process.exit(signal === "SIGINT" ? 130 : 143));
  }
  try {
    process.exitCode = await main();
  } catch (error) {
    const expected =
      error instanceof Error && ["Problem", "NoEngineError", "CacheError"].includes(error.name);
    console.error(expected ? `\n${error.message}` : error);
    process.exitCode = 1;
  }
}
