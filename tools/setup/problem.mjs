/** An error that the reader can fix: shown without a stack trace. */
export class Problem extends Error {
  /** @override */
  name = "Problem";
}

/**
 * Runs a tool, reports its error, and exits at once on Ctrl-C.
 *
 * @param {() => Promise<number>} main returns the exit code
 */
export async function runTool(main) {
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) {
    // process.exit runs the exit handlers, which release locks and remove temporary folders.
    process.on(signal, () => process.exit(signal === "SIGINT" ? 130 : 143));
  }
  try {
    process.exitCode = await main();
  } catch (error) {
    const expected =
      error instanceof Error &&
      ["Problem", "NoEngineError", "NoHostError", "CacheError"].includes(error.name);
    console.error(expected ? `\n${error.message}` : error);
    process.exitCode = 1;
  }
}
