// Finds or gets the Pulumi engine, and prints where it is.
import { ensureEngine } from "./engine/ensure.mjs";

for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) {
  // process.exit runs the exit handlers, which remove a half-made installation.
  process.on(signal, () => process.exit(signal === "SIGINT" ? 130 : 143));
}

try {
  const engine = await ensureEngine({ log: (line) => console.error(`engine: ${line}`) });
  console.log(`Pulumi ${engine.version} (${engine.source}) in ${engine.folder}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
