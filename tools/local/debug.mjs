import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { local } from "../setup/paths.mjs";
import { prepare } from "../setup/prepare.mjs";
import { Problem } from "../setup/problem.mjs";
import { Pulumi, requireStack } from "./pulumi.mjs";

/**
 * Builds, then runs a pulumi command on the local stack. Each provider process that the engine starts prints its
 * inspector's port and waits until a debugger attaches.
 *
 * @param {string[]} args the pulumi command
 * @returns {Promise<number>} exit code
 */
export async function debug(args) {
  if (args.length === 0) throw new Problem("Usage: npm run debug -- <pulumi command>, such as: up --yes");
  requireStack();
  const engine = await prepare((line) => console.error(`• ${line}`));
  const pulumi = new Pulumi(engine);
  console.error(
    '• The provider process prints "Debugger listening on ws://127.0.0.1:<port>/…" and waits.\n' +
      "• Attach a debugger, for example: node inspect 127.0.0.1:<port>\n",
  );
  // The engine's interactive display would overwrite the line with the port.
  return pulumi.show(["--non-interactive", ...args], withInspector(pulumi.env, join(local, "debug")));
}

/**
 * Returns an environment in which the engine's host of dynamic providers starts with an inspector. The engine starts
 * several Node processes, and NODE_OPTIONS would stop all of them. A `node` in front of the real one on the PATH adds
 * the flag for the host only.
 *
 * @param {NodeJS.ProcessEnv} env
 * @param {string} folder for that `node`
 * @returns {NodeJS.ProcessEnv}
 */
export function withInspector(env, folder) {
  mkdirSync(folder, { recursive: true });
  const script = join(folder, "node");
  writeFileSync(
    script,
    `#!/bin/sh
case "$1" in
  */cmd/dynamic-provider/*) exec "${process.execPath}" --inspect-wait=127.0.0.1:0 "$@" ;;
esac
exec "${process.execPath}" "$@"
`,
  );
  chmodSync(script, 0o755);
  const { PATH = "" } = env;
  return { ...env, PATH: [folder, PATH].join(delimiter) };
}
