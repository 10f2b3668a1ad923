// `npm run bench [part of a name] [-- --record]`: runs every *.bench.mjs here, one after the other, and prints the results.
// With --record, it also writes them to results.md.
import { readdirSync } from "node:fs";
import { cpus } from "node:os";
import { record } from "./record.mjs";

const args = process.argv.slice(2);
const [wanted = ""] = args.filter((arg) => arg !== "--record");
const here = new URL(".", import.meta.url);
const all = readdirSync(here).filter((name) => name.endsWith(".bench.mjs"));
const entries = all.filter((name) => name.includes(wanted));
if (entries.length === 0) {
  const names = all.map((name) => name.replace(".bench.mjs", "")).sort();
  console.error(`There is no benchmark "${wanted}". There are: ${names.join(", ")}.`);
  process.exit(1);
}

console.log(`Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model ?? "unknown"})`);
for (const entry of entries.sort()) {
  const { title, run } = await import(new URL(entry, here).href);
  console.log(`\n${title}`);
  const rows = await run();
  console.table(rows);
  if (args.includes("--record")) record(entry.replace(".bench.mjs", ""), title, rows);
}
