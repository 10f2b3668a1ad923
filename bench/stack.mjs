import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startSandbox } from "cloudservices-sandbox";
import { engineEnvironment } from "../tools/engine/environment.mjs";
import { run } from "../tools/process/run.mjs";

/** Inside the checkout, so that programs find the built packages. */
const parent = fileURLToPath(new URL("../.local/bench/", import.meta.url));

/**
 * Opens a folder with a sandbox.
 *
 * @param {string} name
 * @param {import("cloudservices-sandbox").SandboxOptions} [service]
 */
export async function openFolder(name, service = {}) {
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, `${name}-`));
  const sandbox = await startSandbox(service);
  const write = (file, text) => writeFileSync(join(folder, file), text);
  const close = async () => {
    await sandbox.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  return { folder, sandbox, write, close };
}

/**
 * Opens a stack with its own folder, engine home, state and sandbox.
 *
 * @param {string} name of the project
 * @param {object} options
 * @param {string} options.engineFolder
 * @param {object} [options.project] settings beside the name and the runtime, for Pulumi.yaml
 * @param {import("cloudservices-sandbox").SandboxOptions} [options.service]
 * @param {Record<string, string>} [options.env] added to the environment of the engine and its plugins
 */
export async function openStack(name, { engineFolder, project = {}, service, env = {} }) {
  const { folder, sandbox, write, close } = await openFolder(name, service);
  const home = join(folder, "home");
  const environment = {
    ...engineEnvironment(engineFolder, process.env),
    PULUMI_HOME: home,
    PULUMI_BACKEND_URL: `file://${join(folder, "state")}`,
    PULUMI_CONFIG_PASSPHRASE: "passphrase of a benchmark",
    CLOUDSERVICES_BASE_URL: sandbox.baseUrl,
    CLOUDSERVICES_API_KEY: sandbox.apiKey,
    ...env,
  };
  for (const each of ["home", "state"]) mkdirSync(join(folder, each));
  write("package.json", JSON.stringify({ name, private: true }));
  write("Pulumi.yaml", JSON.stringify({ name, runtime: "nodejs", ...project }));
  /**
   * Runs `pulumi`, as an argument of another program if there is one.
   *
   * @param {readonly string[]} args
   * @param {readonly string[]} [through] that program with its own arguments
   */
  const pulumi = (args, through = []) => {
    const [program, ...rest] = [...through, "pulumi", "--non-interactive", "--color", "never", ...args];
    return run(program, rest, { cwd: folder, env: environment });
  };
  const { code, stdout, stderr } = await pulumi(["stack", "init", "dev"]);
  if (code === 0) return { folder, home, sandbox, write, pulumi, close };
  await close();
  throw new Error(`pulumi stack init failed:\n${stdout}${stderr}`);
}
