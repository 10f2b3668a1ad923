import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { z } from "zod";
import { factOf } from "../../kernel/diagnostics/errors.js";
import { pulumi } from "../engine.js";
import { type Check, satisfies } from "./check.js";

const manifest = z.looseObject({
  version: z.string(),
  engines: z.looseObject({ node: z.string().optional() }).optional(),
  peerDependencies: z.record(z.string(), z.string()).optional(),
});

type Manifest = z.infer<typeof manifest>;

/** Returns the manifest of a package as a file sees it, or undefined when it is not installed there. */
function manifestOf(name: string, file: string): Manifest | undefined {
  try {
    return manifest.parse(
      JSON.parse(readFileSync(createRequire(file).resolve(`${name}/package.json`), "utf8")),
    );
  } catch {
    return undefined;
  }
}

/** The oldest engine that the tests have run with. */
export const ENGINE = "3.220.0";

async function engineCheck(folder: string): Promise<Check> {
  const name = "engine";
  try {
    const version = (await pulumi(folder, "version")).trim();
    return satisfies(version, ENGINE)
      ? { name, status: "ok", fact: `Pulumi ${version}` }
      : {
          name,
          status: "warning",
          fact: `Pulumi ${version} is older than ${ENGINE}`,
          fix: "install a newer one",
        };
  } catch (error) {
    return { name, status: "failed", fact: factOf(error), fix: "see https://www.pulumi.com/docs/install" };
  }
}

function nodeCheck(needed: readonly { readonly by: string; readonly range: string | undefined }[]): Check {
  const version = process.versions.node;
  const tooOld = needed.find(({ range }) => range !== undefined && !satisfies(version, range));
  return tooOld
    ? {
        name: "node",
        status: "failed",
        fact: `Node ${version}: ${tooOld.by} needs ${tooOld.range}`,
        fix: "install a newer Node",
      }
    : { name: "node", status: "ok", fact: `Node ${version}` };
}

/** Returns the language of a project's programs, from the text of its Pulumi.yaml. */
export function runtimeIn(text: string): string | undefined {
  const value = /^runtime:(.*(?:\r?\n(?:[ \t]+.*)?)*)/m.exec(text)?.[1] ?? "";
  return (/\bname["']?:\s*["']?([\w-]+)/.exec(value) ?? /^\s*["']?([\w-]+)/.exec(value))?.[1];
}

/** Returns the language of the project in a folder. Node.js where nothing says so. */
function runtimeOf(folder: string): string {
  try {
    return runtimeIn(readFileSync(join(folder, "Pulumi.yaml"), "utf8")) ?? "nodejs";
  } catch {
    return "nodejs";
  }
}

/** Checks the programs and packages that a stack needs. */
export async function packageChecks(folder: string): Promise<Check[]> {
  const own = manifestOf("pulumi-cloudservices", __filename);
  const sdk = manifestOf("cloudservices-sdk", __filename);
  const inProject = join(folder, "package.json");
  const installed = manifestOf("pulumi-cloudservices", inProject);
  const host = manifestOf("@pulumi/pulumi", inProject);
  const runtime = runtimeOf(folder);
  const range = own?.peerDependencies?.["@pulumi/pulumi"] ?? "";
  const same = installed !== undefined && installed.version === own?.version;
  const programs = [
    await engineCheck(folder),
    nodeCheck([
      { by: "pulumi-cloudservices", range: own?.engines?.node },
      { by: "@pulumi/pulumi", range: host?.engines?.node },
    ]),
  ];
  if (runtime !== "nodejs") {
    const fact = `not needed by a program in ${runtime}`;
    const skipped = (name: string): Check => ({ name, status: "skipped", fact });
    return [...programs, skipped("packages"), skipped("@pulumi/pulumi")];
  }
  return [
    ...programs,
    same
      ? {
          name: "packages",
          status: "ok",
          fact: `pulumi-cloudservices ${own.version}, cloudservices-sdk ${sdk?.version}`,
        }
      : {
          name: "packages",
          status: "failed",
          fact: `this is pulumi-cloudservices ${own?.version}, and the project has ${installed?.version ?? "none"}`,
          fix: "npm ci in the project's folder",
        },
    host === undefined
      ? {
          name: "@pulumi/pulumi",
          status: "failed",
          fact: "not installed in the project",
          fix: "npm install @pulumi/pulumi",
        }
      : satisfies(host.version, range)
        ? { name: "@pulumi/pulumi", status: "ok", fact: `@pulumi/pulumi ${host.version}` }
        : {
            name: "@pulumi/pulumi",
            status: "failed",
            fact: `@pulumi/pulumi ${host.version} does not satisfy ${range}`,
            fix: "npm install @pulumi/pulumi@latest",
          },
  ];
}
