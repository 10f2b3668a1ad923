import { accessSync, constants, existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { isRecord } from "../kernel/definition/properties.js";
import { programError } from "../kernel/engine/program-error.js";
import { VERSION } from "../kernel/stack/version.js";
import { type ProjectPlugin, projectPlugins } from "./project-plugins.js";

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
 * const projectSettings = { name: projectName, runtime: "nodejs" as const, ...nativePlugin };
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
  const { isInstalled, cause } = findPlugin();
  isFound = isInstalled;
  if (isFound) return;
  throw programError({
    code: "PROGRAM_INVALID",
    summary: "the native plugin of pulumi-cloudservices is not set up",
    cause,
    fixes: [
      { line: `in Pulumi.yaml, beside \`runtime\`:\n${LINES}\n` },
      { when: "in an Automation program", line: "projectSettings: { ...nativePlugin, … }" },
      {
        when: "to need no set-up",
        line: "import from pulumi-cloudservices instead of pulumi-cloudservices/native",
      },
    ],
  });
}

/** Whether the engine finds the plugin, and which line of the project's file is wrong. */
interface Finding {
  readonly isInstalled: boolean;
  readonly cause?: string;
}

const INSTALLED: Finding = { isInstalled: true };

function findPlugin(): Finding {
  if (/(^|,)cloudservices:/.test(process.env["PULUMI_DEBUG_PROVIDERS"] ?? "")) return INSTALLED;
  const file = projectFile();
  // Without the project's file, only the engine knows.
  if (file === undefined) return INSTALLED;
  const plugins = projectPlugins(readFileSync(file, "utf8"));
  if (plugins === undefined) return INSTALLED;
  const folderOf = ({ path = "" }: ProjectPlugin) => resolve(dirname(file), path);
  const holdsPlugin = (plugin: ProjectPlugin) => existsSync(join(folderOf(plugin), EXECUTABLE));
  const named = plugins.find(({ name }) => name === "cloudservices");
  // The engine reports a folder that does not exist before it runs the program.
  if (named?.path !== undefined) {
    const problem = holdsPlugin(named) ? versionProblem(folderOf(named)) : `has no ${EXECUTABLE}`;
    if (problem === undefined) return INSTALLED;
    return { isInstalled: false, cause: `the folder ${named.path} in Pulumi.yaml ${problem}.` };
  }
  if (named !== undefined || isOnPath() || isInHome()) return INSTALLED;
  const misnamed = plugins.find(holdsPlugin);
  if (misnamed === undefined) return { isInstalled: false };
  return {
    isInstalled: false,
    cause: `Pulumi.yaml gives it the name ${JSON.stringify(misnamed.name ?? "")}.`,
  };
}

/** Returns what is wrong with the version of the plugin in a folder of this package. The engine does not compare it. */
function versionProblem(folder: string): string | undefined {
  const manifest = join(folder, "..", "package.json");
  if (!existsSync(manifest)) return undefined;
  const found: unknown = JSON.parse(readFileSync(manifest, "utf8"));
  if (!isRecord(found) || found["name"] !== "pulumi-cloudservices" || found["version"] === VERSION)
    return undefined;
  return `has version ${String(found["version"])}, and the program's pulumi-cloudservices has ${VERSION}`;
}

/** Returns the project's file, if this process can find it. */
function projectFile(): string | undefined {
  for (let folder = projectFolder(); folder !== undefined; folder = parentOf(folder)) {
    const file = [join(folder, "Pulumi.yaml"), join(folder, "Pulumi.yml")].find(existsSync);
    if (file !== undefined) return file;
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
