import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Go } from "./go.mjs";

/** @param {string} name */
const moduleAt = (name) => fileURLToPath(new URL(name, import.meta.url));

/**
 * The programs to build, each from its own module, because the language host is no longer part of the engine's.
 * `go.sum` in each folder pins the content of every module.
 */
const programs = [
  {
    name: "pulumi-language-nodejs",
    module: moduleAt("language"),
    package: "github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs",
  },
  { name: "pulumi", module: moduleAt("cli"), package: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi" },
];

/**
 * Builds the engine and its language host into a folder, with Go, from the Go module proxy.
 *
 * @param {object} task
 * @param {string} task.version
 * @param {string} task.folder
 * @param {NodeJS.ProcessEnv} task.env
 * @param {(line: string) => void} task.log
 */
export async function buildEngine({ version, folder, env, log }) {
  const go = await Go.open({ scratch: join(folder, "go"), env, log });
  try {
    log(`building pulumi ${version} with ${go.version} (about 3 minutes on two cores, once)`);
    for (const program of programs) await go.build({ ...program, version }, folder);
  } finally {
    go.close();
  }
}
