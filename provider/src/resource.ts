import * as pulumi from "@pulumi/pulumi";
import { secretNames } from "./kernel/dynamic.js";
import { handlerText } from "./kernel/handler-text.js";
import type { Definition } from "./kernel/kind.js";
import { PROVIDER_KEY, URN_KEY } from "./kernel/values.js";

type Given<T> = T extends readonly (infer M)[] ? pulumi.Input<pulumi.Input<M>[]> : pulumi.Input<T>;

/** Inputs as a program gives them: each may be the output of another resource. */
export type Args<I> = {
  // Not NonNullable, which makes a plain string of an open union, so that editors have nothing to offer.
  [F in keyof I]: Given<Exclude<I[F], undefined>> | (undefined extends I[F] ? undefined : never);
};

/** What a resource offers to other resources, once it exists. */
export type Outputs<T> = { readonly [F in keyof T]-?: pulumi.Output<T[F]> };

/** Of every kind that can take over a resource which exists already. */
export interface Adoptable {
  /**
   * The id of an existing resource to manage instead of creating one. It must agree in everything that only a new
   * resource could change; the rest is changed in place. Afterwards the input may stay or go.
   */
  adopt?: string | undefined;
}

/** The class of a kind. */
export interface ResourceClass<I, O, A> {
  /**
   * Declares a resource.
   *
   * @param name - The name in the program, unique among the resources of its kind.
   * @param args - The inputs. Wrong ones are told by the preview, all at once.
   * @param opts - The engine's options; `customTimeouts` bounds the waiting.
   */
  new (name: string, args: A, opts?: pulumi.CustomResourceOptions): pulumi.CustomResource & Outputs<I & O>;
  /**
   * Reads an existing resource without managing it. The run fails when it does not exist.
   *
   * @param id - The service's id of the resource.
   */
  get<T>(
    this: new (
      name: string,
      args: A,
      opts?: pulumi.CustomResourceOptions,
    ) => T,
    name: string,
    id: pulumi.Input<pulumi.ID>,
    opts?: pulumi.CustomResourceOptions,
  ): T;
  /** Whether a value is such a resource, even from another copy of this package. */
  isInstance(value: unknown): boolean;
}

/** Makes the Pulumi class of a kind. Its instances hand the engine the constant text instead of a closure. */
export function resourceOf<
  I extends object,
  O extends object,
  R extends object,
  A extends object = Args<I> & Adoptable,
>(kind: Definition<I, O, R>): ResourceClass<I, O, A> {
  const type = `pulumi-nodejs:dynamic/cloudservices:${kind.name}`;
  const secrets = secretNames(kind);

  class Resource extends pulumi.CustomResource {
    constructor(
      name: string,
      args?: Readonly<Record<string, unknown>>,
      opts: pulumi.CustomResourceOptions = {},
    ) {
      super(type, name, propertiesOf(name, args ?? {}, opts), {
        ...opts,
        additionalSecretOutputs: [...new Set([...(opts.additionalSecretOutputs ?? []), ...secrets])],
      });
    }

    static get(
      name: string,
      id: pulumi.Input<pulumi.ID>,
      opts: pulumi.CustomResourceOptions = {},
    ): pulumi.CustomResource {
      // The subclass is the one on which this was called.
      return new this(name, {}, { ...opts, id });
    }

    static override isInstance(value: unknown): value is Resource {
      return (
        pulumi.CustomResource.isInstance(value) && "__pulumiType" in value && value.__pulumiType === type
      );
    }
  }

  function propertiesOf(
    name: string,
    args: Readonly<Record<string, unknown>>,
    opts: pulumi.CustomResourceOptions,
  ): pulumi.Inputs {
    // A property that is not given must still be named, for the class to have an output of it.
    const properties: pulumi.Inputs = {};
    for (const output of [...Object.keys(kind.inputs), ...Object.keys(kind.outputs)])
      properties[output] = undefined;
    for (const [input, value] of Object.entries(args)) {
      properties[input] = secrets.has(input) && value !== undefined ? pulumi.secret(value) : value;
    }
    if (opts.customTimeouts) properties["customTimeouts"] = opts.customTimeouts;
    properties[PROVIDER_KEY] = handlerText(kind.name);
    properties[URN_KEY] = urnOf(name, type, opts.parent);
    return properties;
  }

  // The one place where the properties, which are made from the definition at run time, get their static types.
  return Resource as unknown as ResourceClass<I, O, A>;
}

/** As a promise, not as an output, which would make the resource depend on its parent, and so on itself. */
function urnOf(name: string, type: string, parent: pulumi.Resource | undefined): Promise<string> {
  return new Promise((resolve) => pulumi.createUrn(name, type, parent).apply(resolve));
}
