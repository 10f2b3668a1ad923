import * as pulumi from "@pulumi/pulumi";
import type { z } from "zod";
import type { FunctionDefinition } from "../functions/define-function.js";
import { isRecord } from "../kernel/definition/properties.js";
import { VERSION } from "../kernel/stack/version.js";
import { requirePlugin } from "./plugin-set-up.js";

export type { Inputs } from "../calls/query.js";

/** A function that the plugin runs, in its two forms. */
interface NativeQuery<R> {
  promise(args: unknown, opts?: pulumi.InvokeOptions): Promise<R>;
  output(args: unknown, opts?: pulumi.InvokeOptions): pulumi.Output<R>;
}

/** Returns the program forms of a function that the plugin runs, with the account of the provider in its options. */
export function query<S extends z.core.$ZodLooseShape, R>({
  name,
  result,
}: FunctionDefinition<S, R>): NativeQuery<R> {
  const token = `cloudservices:index:${name}`;
  const withVersion = (opts: pulumi.InvokeOptions = {}): pulumi.InvokeOptions => ({
    version: VERSION,
    ...opts,
  });
  // In a preview, a function may have no result yet.
  const resultIn = (returned: unknown): R => {
    const value = result !== undefined && isRecord(returned) ? returned[result] : returned;
    const isEmpty = isRecord(value) && Object.keys(value).length === 0;
    // The plugin runs the same definition, whose result has this type.
    return (isEmpty ? undefined : value) as R;
  };
  return {
    async promise(args = {}, opts) {
      requirePlugin();
      return resultIn(await pulumi.runtime.invoke(token, { ...inputsIn(args) }, withVersion(opts)));
    },
    output(args = {}, opts) {
      requirePlugin();
      return pulumi.runtime.invokeOutput(token, { ...inputsIn(args) }, withVersion(opts)).apply(resultIn);
    },
  };
}

const inputsIn = (args: unknown): pulumi.Inputs => (isRecord(args) ? args : {});
