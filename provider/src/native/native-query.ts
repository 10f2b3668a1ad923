import * as pulumi from "@pulumi/pulumi";
import type { z } from "zod";
import type { FunctionSignature } from "../calls/query.js";
import type { FunctionDefinition } from "../functions/define-function.js";
import { isRecord } from "../kernel/definition/properties.js";
import { programError } from "../kernel/engine/program-error.js";
import { requirePlugin } from "./plugin-set-up.js";

export type { Inputs } from "../calls/query.js";

/** A function that the plugin runs, in its two forms. */
interface NativeQuery<R> {
  promise(args: unknown, opts?: pulumi.InvokeOptions): Promise<R>;
  output(args: unknown, opts?: pulumi.InvokeOptions): pulumi.Output<R>;
}

/**
 * Returns the program forms of a function that the plugin runs, with the account of the provider in its options.
 *
 * @param _load - Gives the result its type. Not called: the plugin has the definition.
 */
export function query<S extends z.core.$ZodLooseShape, R>(
  { name, result, secret }: FunctionSignature & { readonly result?: string },
  _load: () => Promise<FunctionDefinition<S, R>>,
): NativeQuery<R> {
  const token = `cloudservices:index:${name}`;
  // In a preview, a function may have no result yet.
  const resultIn = (returned: unknown): R => {
    const value = result !== undefined && isRecord(returned) ? returned[result] : returned;
    const isEmpty = isRecord(value) && Object.keys(value).length === 0;
    // The plugin runs the same definition, whose result has this type.
    return (isEmpty ? undefined : value) as R;
  };
  async function promise(args: unknown = {}, opts?: pulumi.InvokeOptions): Promise<R> {
    requirePlugin();
    try {
      return resultIn(await pulumi.runtime.invoke(token, { ...inputsIn(args) }, opts));
    } catch (error) {
      throw programError(`${name}: ${messageOf(error)}`);
    }
  }

  return {
    promise,
    output(args, opts) {
      // The result of a confidential function is secret.
      const given = secret ? pulumi.secret({ args }) : pulumi.output({ args });
      return given.apply((known: { args?: unknown }) => promise(known.args, opts));
    },
  };
}

/** Returns the plugin's message without the words of the engine's library, which would repeat the function's name. */
const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(
    /^invocation of '?[\w:-]+'? (returned an error|failed): /i,
    "",
  );

const inputsIn = (args: unknown): pulumi.Inputs => (isRecord(args) ? args : {});
