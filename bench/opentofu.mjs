import { join } from "node:path";
import { provider } from "../tools/opentofu/ensure.mjs";
import { run } from "../tools/process/run.mjs";
import { openFolder } from "./stack.mjs";

/**
 * Opens a folder in which OpenTofu manages links through its generic REST provider, with OpenTofu's default of 10
 * operations at a time (Pulumi's depends on the cores: 8 on two). The provider waits for nothing: it would call a server
 * created that is still provisioning.
 *
 * @param {object} options
 * @param {import("../tools/opentofu/ensure.mjs").OpenTofu} options.openTofu
 * @param {number} options.count of links
 * @param {boolean} [options.refresh] whether every command first reads all links, as by default; Pulumi does so only
 *   when asked to
 * @returns {Promise<import("./life.mjs").Subject>}
 */
export async function openTofuFolder({ openTofu, count, refresh = true }) {
  const { folder, sandbox, write, close } = await openFolder("opentofu");
  const settings = join(folder, "settings.tfrc");
  const others = Object.entries(process.env).filter(([name]) => !/^(TF|TOFU|OTEL)_/.test(name));
  const env = {
    ...Object.fromEntries(others),
    TF_CLI_CONFIG_FILE: settings,
    TF_VAR_base_url: sandbox.baseUrl,
    TF_VAR_api_key: sandbox.apiKey,
  };
  const tofu = (args, through = []) => {
    const [program, ...rest] = [...through, openTofu.program, ...args, "-no-color"];
    return run(program, rest, { cwd: folder, env });
  };
  const declare = (version) => write("main.tf", programOf(count, version));
  declare("first");
  write("settings.tfrc", "");
  const { code, stdout, stderr } = await tofu(["init", `-plugin-dir=${openTofu.plugins}`]);
  if (code !== 0) {
    await close();
    throw new Error(`tofu init failed:\n${stdout}${stderr}`);
  }
  const reading = refresh ? [] : ["-refresh=false"];
  const apply = ["apply", "-auto-approve", ...reading];
  return {
    ...{ sandbox, declare, run: tofu, close, home: folder },
    commands: {
      ...{ create: apply, preview: ["plan", ...reading], "no change": apply, update: apply },
      refresh: ["apply", "-auto-approve", "-refresh-only"],
      destroy: ["destroy", "-auto-approve", ...reading],
    },
    stateFile: join(folder, "terraform.tfstate"),
  };
}

const programOf = (count, version) => `terraform {
  required_providers {
    restapi = { source = "${provider.source}", version = "${provider.version}" }
  }
}
variable "base_url" {}
variable "api_key" { sensitive = true }
provider "restapi" {
  uri                  = var.base_url
  headers              = { Authorization = "Bearer \${var.api_key}" }
  id_attribute         = "data/id"
  update_method        = "PATCH"
  write_returns_object = true
}
resource "restapi_object" "link" {
  count = ${count}
  path  = "/shortener/links"
  data  = jsonencode({ url = "https://example.com/${version}/\${count.index}" })
}
`;
