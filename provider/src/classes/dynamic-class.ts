import * as pulumi from "@pulumi/pulumi";
import type { Adoptable, Args, KindSignature, ResourceClass } from "../args.js";
import { RETAIN_KEY } from "../kernel/definition/properties.js";
import type { Diagnostic } from "../kernel/diagnostics/diagnostic.js";
import {
  CONSTRUCTOR_FAILURES_KEY,
  IMPORT_KEY,
  PROVIDER_KEY,
  REPLACE_KEY,
  SECRETS_KEY,
  TIMEOUTS_KEY,
  URN_KEY,
} from "../kernel/engine/class-inputs.js";
import { handlerText } from "../kernel/engine/dynamic/handler-text.js";
import { unknownSettings } from "../kernel/settings/setting-names.js";
import { declaredProperties, isOfType, withoutId } from "./both-forms.js";
import { requireOneForm } from "./one-form.js";

/** Creates the Pulumi class of a kind. Its instances pass the engine a constant text instead of a closure. */
export function dynamicClass<I extends object, O extends object, A extends object = Args<I> & Adoptable>(
  kind: KindSignature<I, O>,
): ResourceClass<I, O, A> {
  const type = `pulumi-nodejs:dynamic/cloudservices:${kind.name}`;
  const alias = { type: `cloudservices:index:${kind.name}` };

  class Resource extends pulumi.CustomResource {
    constructor(
      name: string,
      args?: Readonly<Record<string, unknown>>,
      opts: pulumi.CustomResourceOptions = {},
    ) {
      requireOneForm("pulumi-cloudservices", kind.name, name, opts.parent);
      // The engine ignores timeouts of dynamic resources except to validate their syntax.
      const { customTimeouts, import: imported, ...engines } = opts;
      super(type, name, propertiesOf(name, args ?? {}, opts), {
        ...engines,
        aliases: [...(opts.aliases ?? []), alias],
        additionalSecretOutputs: [...new Set([...(opts.additionalSecretOutputs ?? []), ...kind.secrets])],
      });
    }

    static get(
      name: string,
      id: pulumi.Input<pulumi.ID>,
      opts: pulumi.CustomResourceOptions = {},
    ): pulumi.CustomResource {
      // `this` is the subclass on which `get` was called.
      if (id) return new this(name, {}, { ...opts, id });
      return new this(name, { [CONSTRUCTOR_FAILURES_KEY]: [withoutId(kind.name, name)] }, opts);
    }

    /** The type by which policy packs find the resources of a class. */
    static readonly __pulumiType = type;

    static override isInstance(value: unknown): value is Resource {
      return isOfType(value, type);
    }
  }

  function propertiesOf(
    name: string,
    args: Readonly<Record<string, unknown>>,
    opts: pulumi.CustomResourceOptions,
  ): pulumi.Inputs {
    const properties = declaredProperties(kind, args);
    if (opts.customTimeouts) properties[TIMEOUTS_KEY] = opts.customTimeouts;
    if (opts.retainOnDelete) properties[RETAIN_KEY] = true;
    const marked = secretsAmong(args);
    if (marked) properties[SECRETS_KEY] = marked;
    if (opts.replaceOnChanges) properties[REPLACE_KEY] = opts.replaceOnChanges;
    if (opts.import !== undefined && !opts.id) {
      properties["adopt"] ??= opts.import;
      properties[IMPORT_KEY] = true;
    }
    const failures = [...ofGet(args), ...ambiguous(args, opts), ...(opts.id ? [] : settingsFailures())];
    if (failures.length > 0) properties[CONSTRUCTOR_FAILURES_KEY] = failures;
    properties[PROVIDER_KEY] = handlerText(kind.name);
    properties[URN_KEY] = urnOf(name, type, opts.parent);
    return properties;
  }

  // The only place where the properties, which the definition creates at run time, get their static types.
  return Resource as unknown as ResourceClass<I, O, A>;
}

/** Returns the inputs that the program marks as secret. Plain values never are, and most programs have no others. */
function secretsAmong(args: Readonly<Record<string, unknown>>): Promise<string[] | undefined> | undefined {
  const candidates = Object.entries(args).filter(([, value]) => typeof value === "object" && value !== null);
  if (candidates.length === 0) return undefined;
  const marked = candidates.map(async ([name, value]) => {
    // A rejected promise is reported as the input itself.
    const isSecret = await pulumi.isSecret(pulumi.output(value)).catch(() => false);
    return isSecret ? [name] : [];
  });
  return Promise.all(marked).then((names) => (names.flat().length > 0 ? names.flat() : undefined));
}

/** Returns the diagnostics that `get` adds to the inputs. The provider validates them. */
const ofGet = (args: Readonly<Record<string, unknown>>): readonly unknown[] => {
  const failures = args[CONSTRUCTOR_FAILURES_KEY];
  return Array.isArray(failures) ? failures : [];
};

/** The option `import` becomes the input `adopt`, because the engine's own import does not reach a dynamic provider. */
function ambiguous(
  { adopt }: Readonly<Record<string, unknown>>,
  { import: imported }: pulumi.CustomResourceOptions,
): Diagnostic[] {
  if (imported === undefined || adopt === undefined || adopt === imported) return [];
  return [
    {
      code: "PROGRAM_INVALID",
      summary: "the option `import` and the input `adopt` name different resources",
      fixes: [{ line: "remove one of them" }],
    },
  ];
}

const checkedStacks = new WeakSet<pulumi.Resource>();

/** Returns the problems with the stack's settings once, for the first resource of a program to report. */
function settingsFailures(): Diagnostic[] {
  const stack = pulumi.runtime.getStackResource();
  if (stack === undefined || checkedStacks.has(stack)) return [];
  checkedStacks.add(stack);
  return unknownSettings(Object.keys(pulumi.runtime.allConfig()));
}

/** Returns a promise rather than an output, which would make the resource depend on its parent, and so on itself. */
function urnOf(name: string, type: string, parent: pulumi.Resource | undefined): Promise<string> {
  return new Promise((resolve) => pulumi.createUrn(name, type, parent).apply(resolve));
}
