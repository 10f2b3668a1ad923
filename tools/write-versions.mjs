// Writes the version in a package.json into the source of that package, where nothing can read the manifest.
import { readFileSync, writeFileSync } from "node:fs";

const sources = {
  sdk: "src/core/version.ts",
  provider: "src/kernel/stack/version.ts",
};

for (const [room, source] of Object.entries(sources)) {
  const manifest = new URL(`../${room}/package.json`, import.meta.url);
  const file = new URL(`../${room}/${source}`, import.meta.url);
  const { version } = JSON.parse(readFileSync(manifest, "utf8"));
  const text = `/** The version in package.json; \`npm run build\` writes this file. */\nexport const VERSION = "${version}";\n`;
  // An unchanged file keeps its time, so that the compiler does not rebuild.
  if (readFileSync(file, "utf8") !== text) writeFileSync(file, text);
}
