// `npm run bench [part of a name]`: runs every *.bench.mjs here, one after the other, and prints the results.
import { readdirSync } from "node:fs";
import { cpus } from "node:os";

const [wanted = ""] = process.argv.slice(2);
const here = new URL(".", import.meta.url);
const entries = readdirSync(here).filter((name) => name.endsWith(".bench.mjs") && name.includes(wanted));

console.log(`Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model ?? "unknown"})`);
for (const entry of entries.sort()) {
  const { title, run } = await import(new URL(entry, here).href);
  console.log(`\n${title}`);
  console.table(await run());
}
