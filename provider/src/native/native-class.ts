import type * as pulumi from "@pulumi/pulumi";
import type { KindSignature, Registration, ResourceBase, ResourceOptions } from "../args.js";
import { baseOf, declaredProperties, withoutId } from "../classes/both-forms.js";
import { requireOneForm } from "../classes/one-form.js";
import { omitPromiseTraces } from "../classes/promise-traces.js";
import { RETAIN_KEY } from "../kernel/definition/properties.js";
import { IMPORT_KEY, REPLACE_KEY } from "../kernel/engine/class-inputs.js";
import { programError } from "../kernel/engine/program-error.js";
import { requirePlugin } from "./plugin-set-up.js";

export type { ResourceOptions };

const typeOf = (kind: string): string => `cloudservices:index:${kind}`;

/** Returns what the class of a kind extends, whose resources the native plugin manages. */
export function nativeClass<I extends object, O extends object, A extends object>(
  kind: KindSignature<I, O>,
): ResourceBase<I, O, A> {
  return baseOf(typeOf(kind.name), (_, name) => {
    throw programError(withoutId(kind.name, name));
  });
}

/** Returns what the engine needs to know of a resource. */
export function registrationOf(
  kind: KindSignature<pulumi.Inputs, pulumi.Inputs>,
  name: string,
  args: object = {},
  opts: pulumi.CustomResourceOptions = {},
): Registration {
  requirePlugin();
  omitPromiseTraces();
  requireOneForm("pulumi-cloudservices/native", kind.name, name, opts.parent);
  const alias = { type: `pulumi-nodejs:dynamic/cloudservices:${kind.name}` };
  // Without a version, so that the engine uses the default provider of `pulumi import`, in the same process: only
  // there the plugin knows which of two entries of one resource the program still declares.
  const options = { ...opts, aliases: [...(opts.aliases ?? []), alias] };
  return [typeOf(kind.name), name, propertiesOf(kind, { ...args }, opts), options];
}

function propertiesOf(
  kind: KindSignature<pulumi.Inputs, pulumi.Inputs>,
  args: Readonly<Record<string, unknown>>,
  opts: pulumi.CustomResourceOptions,
): pulumi.Inputs {
  const properties = declaredProperties(kind, args);
  // The engine does not pass on these options.
  if (opts.retainOnDelete) properties[RETAIN_KEY] = true;
  if (opts.import !== undefined) properties[IMPORT_KEY] = true;
  if (opts.replaceOnChanges) properties[REPLACE_KEY] = opts.replaceOnChanges;
  return properties;
}
