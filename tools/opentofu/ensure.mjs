import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureBuilt } from "../engine/built.mjs";

export const version = "1.10.10";
export const provider = { source: "mastercard/restapi", version: "1.20.0" };

/** @param {string} name */
const moduleAt = (name) => fileURLToPath(new URL(name, import.meta.url));

/**
 * OpenTofu and its generic REST provider, ready to run.
 *
 * @typedef {object} OpenTofu
 * @property {string} program path of `tofu`
 * @property {string} plugins the folder for `tofu init -plugin-dir`
 */

/**
 * Finds OpenTofu and its generic REST provider in the cache or builds them. Each has a module of its own: in one, they
 * would be built with the newer of their dependencies, which is not what their vendors release.
 *
 * @param {object} options
 * @param {import("../engine/shared-go.mjs").SharedGo} options.go
 * @param {(line: string) => void} options.log
 * @param {NodeJS.ProcessEnv} [options.env]
 * @returns {Promise<OpenTofu>}
 */
export async function ensureOpenTofu(options) {
  const folder = await ensureBuilt({
    name: "opentofu",
    version: `v${version}`,
    label: "OpenTofu",
    duration: "up to 8 minutes on two cores",
    programs: [
      { name: "tofu", module: moduleAt("tofu"), package: "github.com/opentofu/opentofu/cmd/tofu" },
      {
        name: join("plugins", pluginPath(process.platform, process.arch)),
        module: moduleAt("restapi"),
        package: "github.com/Mastercard/terraform-provider-restapi",
      },
    ],
    ...options,
  });
  return { program: join(folder, "tofu"), plugins: join(folder, "plugins") };
}

/**
 * Returns where `tofu init -plugin-dir` expects the provider of a machine.
 *
 * @param {string} platform
 * @param {string} arch
 */
export function pluginPath(platform, arch) {
  const machine = `${platform}_${arch === "x64" ? "amd64" : arch}`;
  const program = `terraform-provider-restapi_v${provider.version}`;
  return join("registry.opentofu.org", provider.source, provider.version, machine, program);
}
