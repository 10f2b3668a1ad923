import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { Host } from "../../tools/engine/hosts.mjs";
import { root } from "../../tools/setup/paths.mjs";
import { openProject, type TestProject } from "../support/project.js";
import { expectNoSecrets } from "../support/secrets.js";
import { openSandbox, quick, takeRequests } from "../support/test-stack.js";

const secrets = {
  apiKey: "sandbox_canary-of-the-key",
  passcode: "canary-passcode",
  webhookSecret: "canary-webhook-secret",
};

interface Quickstart {
  readonly host: Host;
  /** The file that is edited between two runs. */
  readonly program: string;
  readonly files: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Prepares the project's folder. */
  prepare?(project: TestProject): Promise<void> | void;
}

/** Returns files of an example by name. */
export function filesOf(example: string, names: readonly string[]): Record<string, string> {
  const folder = fileURLToPath(new URL(`../../examples/${example}/`, import.meta.url));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

/** Runs a quickstart from its first update to its end: everything that a user of it sees. */
export async function liveThrough({ host, program, files, env, prepare }: Quickstart): Promise<void> {
  const sandbox = await openSandbox();
  const { apiKey, passcode, webhookSecret } = secrets;
  const project = await openProject({
    files,
    config: {
      ...quick,
      "cloudservices:baseUrl": sandbox.baseUrl,
      "cloudservices:apiKey": { secret: apiKey },
      passcode: { secret: passcode },
      webhookSecret: { secret: webhookSecret },
    },
    ...(env && { env }),
  });
  // As npm makes it from the packed files.
  symlinkSync(join(root, "node_modules"), join(project.folder, "node_modules"));
  installHost(host, project.folder);
  await prepare?.(project);

  const printed: string[] = [];
  const pulumi = async (...args: string[]) => {
    const { code, stdout, stderr } = await project.pulumi(args);
    printed.push(stdout, stderr);
    expect(code, stdout + stderr).toBe(0);
    expect(stdout + stderr).not.toContain("warning:");
    return stdout;
  };

  expect(await pulumi("up", "--yes", "--skip-preview")).toMatch(/\+ 7 created/);
  expect(sandbox.resources()).toHaveLength(6);
  takeRequests(sandbox);
  await pulumi("preview", "--expect-no-changes");
  await pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
  expect(takeRequests(sandbox)).toEqual([]);

  project.write({ [program]: String(files[program]).replace("Home", "Start") });
  expect(await pulumi("preview", "--diff")).toMatch(/~ title\s*: "Home" => "Start"/);
  expect(await pulumi("up", "--yes", "--skip-preview")).toMatch(/~ 1 updated/);
  await pulumi("preview", "--expect-no-changes");

  const outputs: Record<string, string> = JSON.parse(await pulumi("stack", "output", "--json"));
  expect(Object.keys(outputs).sort()).toEqual([
    "databaseHost",
    "databaseUri",
    "inboxAddress",
    "inboxId",
    "serverAddress",
    "shortUrl",
  ]);
  expectNoSecrets(printed.join("\n") + (await project.export()).text, secrets);

  await pulumi("destroy", "--yes", "--skip-preview");
  expect(sandbox.resources()).toEqual([]);
  expect((await project.export()).resources).toEqual([]);
}

/** Puts a host where the engine looks for installed plugins. A host on the PATH would be reported by a warning. */
function installHost({ name, version, program, source }: Host, folder: string): void {
  if (source === "engine") return;
  const target = join(folder, "home", "plugins", `language-${name}-v${version}`, `pulumi-language-${name}`);
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(program, target);
}
