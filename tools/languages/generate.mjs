import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureBuilt } from "../engine/built.mjs";
import { run } from "../process/run.mjs";
import { local, root } from "../setup/paths.mjs";
import { Problem } from "../setup/problem.mjs";

const sources = fileURLToPath(new URL(".", import.meta.url));

/** The schema that everything is generated from. */
const schemaFile = join(root, "provider", "schema.json");

/** The folder of the generated files. */
export const languagesFolder = join(root, "languages");

/**
 * Finds the generator in the cache or builds it, and returns its path.
 *
 * @param {object} options
 * @param {import("../engine/shared-go.mjs").SharedGo} options.go
 * @param {(line: string) => void} options.log
 * @param {NodeJS.ProcessEnv} [options.env]
 * @returns {Promise<string>}
 */
export async function ensureGenerator(options) {
  const folder = await ensureBuilt({
    name: "generator",
    version: sourceHash(),
    label: "the generator of SDKs",
    duration: "about 1 minute on two cores",
    programs: [{ name: "generator", module: sources, package: "." }],
    ...options,
  });
  return join(folder, "generator");
}

/** Returns a hash of the generator's source, which identifies its builds. */
function sourceHash() {
  const hash = createHash("sha256");
  for (const name of readdirSync(sources).sort()) {
    if (/\.go$|^go\./.test(name)) hash.update(`${name}\n`).update(readFileSync(join(sources, name)));
  }
  return hash.digest("hex").slice(0, 12);
}

/**
 * Generates the SDKs and the reference into a folder.
 *
 * @param {string} generator
 * @param {string} folder
 */
export async function generate(generator, folder) {
  const { code, stderr, problem } = await run(generator, [schemaFile, folder], { timeoutMs: 60_000 });
  if (code !== 0) throw new Problem(`The SDKs were not generated: ${problem ?? stderr.trim()}`);
}

/**
 * Replaces the generated files of the checkout.
 *
 * @param {object} options
 * @param {import("../engine/shared-go.mjs").SharedGo} options.go
 * @param {(line: string) => void} options.log
 */
export async function updateLanguages({ go, log }) {
  const generator = await ensureGenerator({ go, log });
  // On the disk of the target, so that it can be renamed.
  mkdirSync(local, { recursive: true });
  const temporary = mkdtempSync(join(local, "languages-"));
  const generated = join(temporary, "languages");
  try {
    await generate(generator, generated);
    await addGoModule(join(generated, "go"), { go, log });
    rmSync(languagesFolder, { recursive: true, force: true });
    renameSync(generated, languagesFolder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/**
 * Adds `go.mod` and `go.sum`, which the generator does not write. Resolving them needs the network, so those of the
 * checkout are kept while they require the same.
 *
 * @param {string} folder
 * @param {{ go: import("../engine/shared-go.mjs").SharedGo, log: (line: string) => void }} options
 */
async function addGoModule(folder, { go, log }) {
  const { language } = JSON.parse(readFileSync(schemaFile, "utf8"));
  const sdk = /github\.com\/pulumi\/pulumi\/sdk\/v3 v\S+/.exec(readFileSync(join(sources, "go.mod"), "utf8"));
  const module = `module ${dirname(language.go.importBasePath)}\n`;
  const held = join(languagesFolder, "go");
  const text = existsSync(join(held, "go.mod")) ? readFileSync(join(held, "go.mod"), "utf8") : "";
  if (sdk && text.startsWith(module) && text.includes(`${sdk[0]}\n`)) {
    for (const name of ["go.mod", "go.sum"]) copyFileSync(join(held, name), join(folder, name));
    return;
  }
  log("resolving the modules of the Go SDK");
  writeFileSync(join(folder, "go.mod"), `${module}\ngo 1.24\n\nrequire ${sdk?.[0]}\n`);
  const opened = await go.open();
  await opened.tidy(folder);
}
