import * as pulumi from "@pulumi/pulumi";
import type { Diagnostic } from "../kernel/diagnostics/diagnostic.js";

/*
 * What the classes of both forms share.
 */

/** Returns whether a value has a type. Compares the type alone: policy packs pass a plain object that has nothing else. */
export const isOfType = (value: unknown, type: string): boolean =>
  typeof value === "object" && value !== null && "__pulumiType" in value && value.__pulumiType === type;

/** Returns the properties of a resource: all inputs and outputs of its kind, with the arguments of a program. */
export function declaredProperties(
  { inputs, outputs, secrets }: Readonly<Record<"inputs" | "outputs" | "secrets", readonly string[]>>,
  args: Readonly<Record<string, unknown>>,
): pulumi.Inputs {
  // A property must be named even without a value, for the class to have an output of it.
  const properties: pulumi.Inputs = {};
  for (const output of [...inputs, ...outputs]) properties[output] = undefined;
  for (const [input, value] of Object.entries(args)) {
    properties[input] = secrets.includes(input) && value !== undefined ? pulumi.secret(value) : value;
  }
  return properties;
}

/** Returns the diagnostic of `get` without an id. */
export const withoutId = (kind: string, name: string): Diagnostic => ({
  code: "PROGRAM_INVALID",
  summary: `${kind}.get(${JSON.stringify(name)}) failed: the id is empty. Nothing was read or created.`,
  fixes: [
    { line: "check the setting or output that contains the id" },
    { when: "to declare a new resource", line: "use `new`" },
  ],
});
