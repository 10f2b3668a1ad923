import type { Deployment, OutputMap } from "@pulumi/pulumi/automation/index.js";

/** A resource in the engine's state. */
interface StateResource {
  readonly urn: string;
  readonly type: string;
  readonly id?: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, unknown>>;
  /** Why the last operation on it did not finish. */
  readonly initErrors: readonly string[];
}

/** The state of a stack, as `pulumi stack export` prints it. */
export interface State {
  /** The whole state, with encrypted secrets. */
  readonly text: string;
  /** The resources, without the stack itself and its providers. */
  readonly resources: readonly StateResource[];
  /** The interrupted operations. */
  readonly pending: readonly unknown[];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const recordOf = (value: unknown) => (isRecord(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function resourceOf(value: unknown): StateResource {
  const { urn, type, id, inputs, outputs, initErrors } = recordOf(value);
  if (typeof urn !== "string" || typeof type !== "string")
    throw new Error(`no resource: ${JSON.stringify(value)}`);
  return {
    urn,
    type,
    ...(typeof id === "string" && { id }),
    inputs: recordOf(inputs),
    outputs: recordOf(outputs),
    initErrors: listOf(initErrors).map(String),
  };
}

/** Parses the output of `pulumi stack export`. */
export function stateOf(exported: Deployment | string): State {
  const text = typeof exported === "string" ? exported : JSON.stringify(exported, undefined, 4);
  const whole: unknown = JSON.parse(text);
  const { resources, pending_operations: pending } = recordOf(recordOf(whole)["deployment"]);
  return {
    text,
    resources: listOf(resources)
      .map(resourceOf)
      .filter(({ type }) => type !== "pulumi:pulumi:Stack" && !type.startsWith("pulumi:providers:")),
    pending: listOf(pending),
  };
}

/** The member by which the engine marks secrets and other special values in its state. */
const SIGNATURE = "4dabf18193072939515e22adb298388d";

/** Returns what `pulumi stack export` prints, from the engine's file of the state. */
export function exportedFrom(file: string): State {
  const { latest } = recordOf(recordOf(JSON.parse(file))["checkpoint"]);
  return stateOf({ version: 3, deployment: recordOf(latest) });
}

/** Returns a stack's outputs from the engine's file of its state, or nothing if one of them is special. */
export function plainOutputsIn(file: string): OutputMap | undefined {
  const { latest } = recordOf(recordOf(JSON.parse(file))["checkpoint"]);
  const all = listOf(recordOf(latest)["resources"]).map(recordOf);
  const outputs = recordOf(all.find(({ type }) => type === "pulumi:pulumi:Stack")?.["outputs"]);
  if (JSON.stringify(outputs).includes(SIGNATURE)) return undefined;
  return Object.fromEntries(Object.entries(outputs).map(([name, value]) => [name, { value, secret: false }]));
}

/** Returns whether a value is a secret, in a state that was exported with its secrets shown. */
export const isShownSecret = (value: unknown): value is { readonly plaintext: string } =>
  isRecord(value) && typeof value["plaintext"] === "string";

/** Returns a plain value from a state that was exported with its secrets shown. */
export const plain = (value: unknown): unknown =>
  isShownSecret(value) ? JSON.parse(value.plaintext) : value;
