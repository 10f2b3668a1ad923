import { readFileSync } from "node:fs";
import { z } from "zod";
import { functionsOf } from "./functions.js";
import { PACKAGE } from "./names.js";
import type { PackageSchema } from "./package-schema.js";
import { resourcesOf } from "./resources.js";
import { configVariables, providerInputs } from "./settings.js";
import { TypeWriter } from "./type-writer.js";

const manifest = z
  .object({
    version: z.string(),
    description: z.string(),
    keywords: z.array(z.string()),
    license: z.string(),
  })
  .parse(JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")));

const sorted = <T>(members: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Returns the package schema, made from the definitions and their comments. */
export function packageSchema(): PackageSchema {
  const types = new TypeWriter();
  const resources = resourcesOf(types);
  const functions = functionsOf(types);
  return {
    name: PACKAGE,
    displayName: "Cloud Services",
    ...manifest,
    meta: { moduleFormat: "(.*)" },
    config: { variables: configVariables() },
    types: sorted(types.types),
    provider: {
      description: "The account and the service that resources belong to, and how requests are sent.",
      inputProperties: providerInputs(),
    },
    resources: sorted(resources),
    functions: sorted(functions),
    language: {
      nodejs: { packageName: "pulumi-cloudservices/native", respectSchemaVersion: true },
      python: {
        packageName: "pulumi_cloudservices",
        pyproject: { enabled: true },
        respectSchemaVersion: true,
      },
      go: {
        importBasePath: "github.com/cloudservices/pulumi-cloudservices/languages/go/cloudservices",
        respectSchemaVersion: true,
      },
    },
  };
}
