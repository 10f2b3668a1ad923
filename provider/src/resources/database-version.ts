import type { Input } from "@pulumi/pulumi";
import { databaseEngines } from "cloudservices-sdk";
import { sameWord } from "../kernel/definition/fields.js";
import type { Planned } from "../kernel/definition/kind.js";
import { misspelt, newOneFor, notListed } from "../kernel/definition/rules.js";
import type { Diagnostic } from "../kernel/diagnostics/diagnostic.js";
import { nearMiss } from "../kernel/diagnostics/did-you-mean.js";

/*
 * The rules about a database's version: the specification lists versions, and a version cannot go down.
 */

type PostgresqlVersion = Extract<(typeof databaseEngines)[number], { id: "postgresql" }>["versions"][number];

/** An engine and its version. Editors suggest the listed versions; the service validates other engines and versions. */
export type DatabaseEngine =
  | { engine: Input<"postgresql">; version: Input<PostgresqlVersion | (string & {})> }
  | { engine: Input<string & {}>; version: Input<string> };

interface Versioned {
  engine: string;
  version: string;
}

function versionsOf(engine: unknown): readonly string[] | undefined {
  const isSame = (id: string) => typeof engine === "string" && sameWord(id, engine);
  return databaseEngines.find((known) => "id" in known && isSame(known.id))?.versions;
}

/** Returns a warning about a version that the specification does not list. The current version passes. */
export function versionNotes(planned: Planned<Versioned>): string[] {
  const version = planned.after("version");
  const listed = versionsOf(planned.after("engine"));
  if (version === undefined || listed === undefined || planned.settings.allowUnlisted) return [];
  return version === planned.before("version") || listed.includes(version)
    ? []
    : [notListed("version", version, listed)];
}

export function versionRules(planned: Planned<Versioned>): Diagnostic[] {
  const version = planned.after("version");
  const engine = planned.after("engine");
  const before = planned.before("version");
  if (version === undefined) return [];
  const listed = versionsOf(engine) ?? [];
  const near = version === before ? undefined : nearMiss(version, listed);
  if (near !== undefined && near !== version && !planned.settings.allowUnlisted) {
    return [misspelt(`version "${version}" of ${engine} is not in the specification's list`, listed, near)];
  }
  if (planned.creates || before === undefined) return [];
  if (isWithin(before, version) || compareVersions(version, before) >= 0) return [];
  return [
    {
      code: "CHANGE_NOT_ALLOWED",
      summary: `version cannot go down: the database runs ${before}`,
      fixes: [newOneFor("version", "database")],
    },
  ];
}

/** Returns whether a version is the requested one: 16.4 satisfies 16, but 16 may be another than 16.4. */
export function isWithin(version: string, requested: string): boolean {
  return `${version}.`.startsWith(`${requested}.`);
}

/** Compares numbered parts: 8.10 is newer than 8.9. */
function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}
