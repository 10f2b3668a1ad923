import { accessSync, constants, existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { programError } from "../kernel/engine/program-error.js";

/*
 * The engine's message about a missing plugin is about a download. Where the engine would look is known, so the classes
 * report the missing set-up first.
 */

const EXECUTABLE = "pulumi-resource-cloudservices";

/**
 * The set-up of the plugin for the project settings of an Automation program without a Pulumi.yaml.
 *
 * @example
 * ```ts
 * const projectSettings = { name: "shop", runtime: "nodejs", ...nativePlugin };
 * const stack = await LocalWorkspace.createStack({ stackName, projectName, program }, { projectSettings });
 * ```
 */
export const nativePlugin = {
  plugins: { providers: [{ name: "cloudservices", path: join(__dirname, "..", "..", "plugin") }] },
};

/** Returns the lines of the set-up for the Pulumi.yaml of a project. */
const LINES = `
  plugins:
    providers:
      - name: cloudservices
        path: node_modules/pulumi-cloudservices/plugin`;

let isFound = false;

/** @throws RunError with the lines of the set-up when the engine cannot find the plugin. */
export function requirePlugin(): void {
  if (isFound) return;
  isFound = isInstalled();
  if (isFound) return;
  throw programError({
    code: "PROGRAM_INVALID",
    summary: "the native plugin of pulumi-cloudservices is not set up",
    fixes: [
      { line: `add to Pulumi.yaml, beside \`runtime\`:\n${LINES}\n` },
      { when: "in an Automation program", line: "projectSettings: { ...nativePlugin, … }" },
      {
        when: "to need no set-up",
        line: "import from pulumi-cloudservices instead of pulumi-cloudservices/native",
      },
    ],
  });
}

function isInstalled(): boolean {
  const project = projectFile();
  // Without the project's file, only the engine knows.
  if (project === undefined || /^\s*-?\s*name:\s*["']?cloudservices["']?\s*$/m.test(project)) return true;
  if (/\bcloudservices\b/.test(project) && /\bplugins\b/.test(project)) return true;
  if (/(^|,)cloudservices:/.test(process.env["PULUMI_DEBUG_PROVIDERS"] ?? "")) return true;
  return isOnPath() || isInHome();
}

/** Returns the text of the project's file, if this process can find it. */
function projectFile(): string | undefined {
  for (let folder = projectFolder(); folder !== undefined; folder = parentOf(folder)) {
    const file = [join(folder, "Pulumi.yaml"), join(folder, "Pulumi.yml")].find(existsSync);
    if (file !== undefined) return readFileSync(file, "utf8");
  }
  return undefined;
}

/** The engine's host runs a program in the folder of its project, or in one below it. */
const projectFolder = (): string | undefined =>
  /[\\/]cmd[\\/]run[\\/]?(index\.js)?$/.test(process.argv[1] ?? "") ? process.cwd() : undefined;

const parentOf = (folder: string): string | undefined =>
  dirname(folder) === folder ? undefined : dirname(folder);

const isOnPath = (): boolean =>
  (process.env["PATH"] ?? "")
    .split(delimiter)
    .some((folder) => folder !== "" && isExecutable(join(folder, EXECUTABLE)));

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function isInHome(): boolean {
  const home = process.env["PULUMI_HOME"] ?? join(homedir(), ".pulumi");
  try {
    return readdirSync(join(home, "plugins")).some((name) => name.startsWith("resource-cloudservices-v"));
  } catch {
    return false;
  }
}
