import { createRequire } from "node:module";
import type { Fields, KindName } from "./evidence/kinds.js";
import type { Declared, DeclaredProgram } from "./evidence/stack.js";
import type { Properties } from "./provider-client.js";

/*
 * Programs as data, and the properties that the real classes register for them. The real classes need the engine's
 * runtime, so this module repeats what they do; a test compares the two.
 */

const require = createRequire(`${process.env["CAMPAIGN_ROOT"] ?? process.cwd()}/package.json`);
const product: typeof import("../../provider/dist/kernel/engine/dynamic/handler-text.js") = require("./provider/dist/kernel/engine/dynamic/handler-text.js");

export const PROJECT = "campaign";
export const STACK = "dev";

/** Whether the campaign runs through the native plugin. */
export const isNative = process.env["CAMPAIGN_FORM"] === "native";

/** Returns the engine's type of a kind. */
export const typeOf = (kind: KindName): string =>
  isNative ? `cloudservices:index:${kind}` : `pulumi-nodejs:dynamic/cloudservices:${kind}`;
export const urnOf = (kind: KindName, name: string): string =>
  `urn:pulumi:${STACK}::${PROJECT}::${typeOf(kind)}::${name}`;

/** The properties that a class marks as secret. */
export const secretsOfKind: Readonly<Record<KindName, ReadonlySet<string>>> = {
  Link: new Set(["passcode"]),
  Database: new Set(["password", "connectionUri", "poolUri"]),
  BackupSchedule: new Set(),
  VpsInstance: new Set(["userData"]),
  Inbox: new Set(),
  Webhook: new Set(["secret"]),
  VpsAction: new Set(),
};

export function declare(
  kind: KindName,
  name: string,
  inputs: Fields,
  options: Declared["options"] = {},
): Declared {
  return { urn: urnOf(kind, name), kind, name, inputs, options };
}

export const program = (...resources: readonly Declared[]): DeclaredProgram => ({ resources });

/** Returns a reference to an output of another resource. */
export const outputOf = (name: string, output = "id"): Fields => ({ $ref: name, output });

export interface Reference {
  readonly name: string;
  readonly output: string;
}

export function referenceIn(value: unknown): Reference | undefined {
  if (typeof value !== "object" || value === null || !("$ref" in value) || !("output" in value))
    return undefined;
  return { name: String(value.$ref), output: String(value.output) };
}

/** Returns the properties that the class registers. References must be resolved. */
export function registered({ kind, urn, options }: Declared, inputs: Properties): Properties {
  return {
    ...Object.fromEntries(Object.entries(inputs).filter(([, value]) => value !== undefined)),
    ...(options.retainOnDelete && { __retainOnDelete: true }),
    ...(!isNative && { __provider: product.handlerText(kind), __urn: urn }),
  };
}
