import * as pulumi from "@pulumi/pulumi";
import type { Adoptable, Args, KindSignature, ResourceClass, ResourceOptions } from "../args.js";
import { declaredProperties, isOfType, withoutId } from "../classes/both-forms.js";
import { requireOneForm } from "../classes/one-form.js";
import { RETAIN_KEY } from "../kernel/definition/properties.js";
import { IMPORT_KEY, REPLACE_KEY } from "../kernel/engine/class-inputs.js";
import { programError } from "../kernel/engine/program-error.js";
import { requirePlugin } from "./plugin-set-up.js";

export type { ResourceOptions };

/** Creates the Pulumi class of a kind, whose resources the native plugin manages. */
export function nativeClass<I extends object, O extends object, A extends object = Args<I> & Adoptable>(
  kind: KindSignature<I, O>,
): ResourceClass<I, O, A> {
  const type = `cloudservices:index:${kind.name}`;
  const alias = { type: `pulumi-nodejs:dynamic/cloudservices:${kind.name}` };

  class Resource extends pulumi.CustomResource {
    constructor(
      name: string,
      args?: Readonly<Record<string, unknown>>,
      opts: pulumi.CustomResourceOptions = {},
    ) {
      requirePlugin();
      requireOneForm("pulumi-cloudservices/native", kind.name, name, opts.parent);
      // Without a version, so that the engine uses the default provider of `pulumi import`, in the same process: only
      // there the plugin knows which of two entries of one resource the program still declares.
      super(type, name, propertiesOf(args ?? {}, opts), {
        ...opts,
        aliases: [...(opts.aliases ?? []), alias],
      });
    }

    static get(
      name: string,
      id: pulumi.Input<pulumi.ID>,
      opts: pulumi.CustomResourceOptions = {},
    ): pulumi.CustomResource {
      if (id) return new this(name, {}, { ...opts, id });
      throw programError(withoutId(kind.name, name));
    }

    /** The type by which policy packs find the resources of a class. */
    static readonly __pulumiType = type;

    static override isInstance(value: unknown): value is Resource {
      return isOfType(value, type);
    }
  }

  function propertiesOf(
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

  // The only place where the properties, which the definition creates at run time, get their static types.
  return Resource as unknown as ResourceClass<I, O, A>;
}
