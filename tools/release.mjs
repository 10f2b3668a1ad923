// Prepares a release, and checks it.
//
//   npm run release -- 0.2.0              writes the version and the changelog, for you to review and commit
//   npm run release -- --check v0.2.0     fails unless all has the version of this tag
//   npm run release -- --notes v0.2.0     prints what the version changes
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./process/run.mjs";
import { withVersion as changelogWith, notesOf } from "./release/changelog.mjs";
import { manifestsIn, mentions, requireVersion, withVersion } from "./release/versions.mjs";
import { root } from "./setup/paths.mjs";
import { Problem, runTool } from "./setup/problem.mjs";

const USAGE = "Usage: npm run release -- <version> | --check <tag> | --notes <tag>";

const changelog = join(root, "CHANGELOG.md");
const readChangelog = () => readFileSync(changelog, "utf8");

/** @param {string} text */
function versionOf(text) {
  const version = /^v?(\d+\.\d+\.\d+(?:-[0-9a-z.]+)?)$/.exec(text)?.[1];
  if (version === undefined) throw new Problem(`"${text}" is no version such as 0.2.0.\n${USAGE}`);
  return version;
}

/** @param {string} command @param {string[]} args */
async function must(command, args) {
  const { code, stdout, stderr, problem } = await run(command, args, { cwd: root });
  if (code !== 0)
    throw new Problem(`${command} ${args.join(" ")} failed:\n${problem ?? ""}${stdout}${stderr}`);
}

/** @param {string} version */
async function prepare(version) {
  const today = new Date().toISOString().slice(0, 10);
  const text = changelogWith(readChangelog(), version, today);
  for (const path of manifestsIn(root)) {
    const file = join(root, path);
    writeFileSync(file, withVersion(readFileSync(file, "utf8"), version));
  }
  writeFileSync(changelog, text);
  await must("npm", ["install", "--package-lock-only", "--ignore-scripts"]);
  await must("npm", ["run", "schema"]);
  await must("npm", ["run", "languages"]);
  requireVersion(mentions(root), version);
  console.log(
    `Written: ${version}. Review the changes, then: git commit -am "chore: release ${version}" && git tag v${version}`,
  );
}

await runTool(async () => {
  const [first = "", second = ""] = process.argv.slice(2);
  if (first === "--check") {
    const version = versionOf(second);
    requireVersion(mentions(root), version);
    notesOf(readChangelog(), version);
  } else if (first === "--notes") console.log(notesOf(readChangelog(), versionOf(second)));
  else await prepare(versionOf(first));
  return 0;
});
