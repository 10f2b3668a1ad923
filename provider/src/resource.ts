import * as pulumi from "@pulumi/pulumi";
import type { Definition } from "./kernel/definition/kind.js";
import {
  CONSTRUCTOR_FAILURES_KEY,
  IMPORT_KEY,
  PROVIDER_KEY,
  REPLACE_KEY,
  RETAIN_KEY,
  SECRETS_KEY,
  URN_KEY,
} from "./kernel/definition/properties.js";
import { secretNames } from "./kernel/engine/dynamic.js";
import { handlerText } from "./kernel/engine/handler-text.js";
import { unknownSettings } from "./kernel/settings/settings.js";

/** A boolean is a union, whose members apart would refuse an output of both. */
type Given<T> = T extends readonly (infer M)[]
  ? pulumi.Input<pulumi.Input<M>[]>
  : pulumi.Input<T extends boolean ? boolean : T>;

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
   * The id of an existing resource to manage instead of creating one. What the service returns must agree in everything
   * that only a new resource could change; the rest is changed in place. What it does not return is believed, and a wrong
   * value there means a replacement when it is corrected: use `protect: true`. Afterwards the input may stay or go.
   */
  adopt?: string | undefined;
}

/** The engine's options of a resource; `customTimeouts` may bound reading as well. */
export interface ResourceOptions extends pulumi.CustomResourceOptions {
  customTimeouts?: pulumi.CustomTimeouts & { read?: string };
}

/** The class of a kind: the inputs may be left out where each of them may. */
export type ResourceClass<I, O, A> = (Record<never, never> extends A
  ? DeclaredWithoutInputs<I, O, A>
  : Declared<I, O, A>) &
  Known<A>;

interface Declared<I, O, A> {
  /**
   * Declares a resource.
   *
   * @param name - The name in the program, unique among the resources of its kind.
   * @param args - The inputs. Wrong ones are told by the preview, all at once.
   * @param opts - The engine's options; `customTimeouts` bounds each operation.
   */
  new (name: string, args: A, opts?: ResourceOptions): pulumi.CustomResource & Outputs<I & O>;
}

interface DeclaredWithoutInputs<I, O, A> {
  /**
   * Declares a resource.
   *
   * @param name - The name in the program, unique among the resources of its kind.
   * @param args - The inputs, all optional. Wrong ones are told by the preview, all at once.
   * @param opts - The engine's options; `customTimeouts` bounds each operation.
   */
  new (name: string, args?: A, opts?: ResourceOptions): pulumi.CustomResource & Outputs<I & O>;
}

interface Known<A> {
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
  /** The engine's name of the type, by which policy packs find its resources. */
  readonly __pulumiType: string;
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
      // The engine takes no timeouts for resources of this kind, and would only judge how they are written.
      const { customTimeouts, import: imported, ...engines } = opts;
      super(type, name, propertiesOf(name, args ?? {}, opts), {
        ...engines,
        additionalSecretOutputs: [...new Set([...(opts.additionalSecretOutputs ?? []), ...secrets])],
      });
    }

    static get(
      name: string,
      id: pulumi.Input<pulumi.ID>,
      opts: pulumi.CustomResourceOptions = {},
    ): pulumi.CustomResource {
      // The subclass is the one on which this was called.
      if (id) return new this(name, {}, { ...opts, id });
      return new this(name, { [CONSTRUCTOR_FAILURES_KEY]: [withoutId(`${kind.name}.get("${name}")`)] }, opts);
    }

    /** By which policy packs find the resources of a class. */
    static readonly __pulumiType = type;

    /** By the type alone: policy packs ask about a plain object that has nothing else. */
    static override isInstance(value: unknown): value is Resource {
      return (
        typeof value === "object" && value !== null && "__pulumiType" in value && value.__pulumiType === type
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
    if (opts.retainOnDelete) properties[RETAIN_KEY] = true;
    const marked = secretsAmong(args);
    if (marked) properties[SECRETS_KEY] = marked;
    if (opts.replaceOnChanges) properties[REPLACE_KEY] = opts.replaceOnChanges;
    if (opts.import !== undefined && !opts.id) {
      properties["adopt"] ??= opts.import;
      properties[IMPORT_KEY] = true;
    }
    const refused = [...refusalsOf(args), ...ambiguous(args, opts), ...(opts.id ? [] : toldOnce())];
    if (refused.length > 0) properties[CONSTRUCTOR_FAILURES_KEY] = refused;
    properties[PROVIDER_KEY] = handlerText(kind.name);
    properties[URN_KEY] = urnOf(name, type, opts.parent);
    return properties;
  }

  // The one place where the properties, which are made from the definition at run time, get their static types.
  return Resource as unknown as ResourceClass<I, O, A>;
}

/** The inputs that the program has made secret. Plain values never are, and most programs give nothing else. */
function secretsAmong(args: Readonly<Record<string, unknown>>): Promise<string[] | undefined> | undefined {
  const candidates = Object.entries(args).filter(([, value]) => typeof value === "object" && value !== null);
  if (candidates.length === 0) return undefined;
  const marked = candidates.map(async ([name, value]) => {
    // What cannot be resolved fails as the input that it is.
    const isSecret = await pulumi.isSecret(pulumi.output(value)).catch(() => false);
    return isSecret ? [name] : [];
  });
  return Promise.all(marked).then((names) => (names.flat().length > 0 ? names.flat() : undefined));
}

function refusalsOf(args: Readonly<Record<string, unknown>>): string[] {
  const reasons = args[CONSTRUCTOR_FAILURES_KEY];
  return Array.isArray(reasons) ? reasons.map(String) : [];
}

const withoutId = (call: string): string =>
  `${call} was given no id, so there is nothing to read, and nothing was created. Is the setting or the output that ` +
  "should hold the id missing? To declare a new resource, use `new`";

/** The option `import` becomes the input `adopt`, because the engine's own way cannot reach a provider of this kind. */
function ambiguous(
  { adopt }: Readonly<Record<string, unknown>>,
  { import: imported }: pulumi.CustomResourceOptions,
): string[] {
  if (imported === undefined || adopt === undefined || adopt === imported) return [];
  return ["the option `import` and the input `adopt` name two resources. Remove one of them"];
}

const told = new WeakSet<pulumi.Resource>();

/** What is wrong with the stack's settings, for the first resource of a program to tell. */
function toldOnce(): string[] {
  const stack = pulumi.runtime.getStackResource();
  if (stack === undefined || told.has(stack)) return [];
  told.add(stack);
  return unknownSettings(Object.keys(pulumi.runtime.allConfig()));
}

/** As a promise, not as an output, which would make the resource depend on its parent, and so on itself. */
function urnOf(name: string, type: string, parent: pulumi.Resource | undefined): Promise<string> {
  return new Promise((resolve) => pulumi.createUrn(name, type, parent).apply(resolve));
}
