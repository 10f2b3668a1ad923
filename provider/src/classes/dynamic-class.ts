import * as pulumi from "@pulumi/pulumi";
import type { KindSignature, Registration, ResourceBase } from "../args.js";
import { RETAIN_KEY, URN_KEY } from "../kernel/definition/properties.js";
import type { Diagnostic } from "../kernel/diagnostics/diagnostic.js";
import {
  CONSTRUCTOR_FAILURES_KEY,
  IMPORT_KEY,
  PROVIDER_KEY,
  REPLACE_KEY,
  SECRETS_KEY,
  TIMEOUTS_KEY,
} from "../kernel/engine/class-inputs.js";
import { handlerText } from "../kernel/engine/dynamic/handler-text.js";
import { unknownSettings } from "../kernel/settings/setting-names.js";
import { baseOf, declaredProperties, withoutId } from "./both-forms.js";
import { requireOneForm } from "./one-form.js";
import { omitPromiseTraces } from "./promise-traces.js";

const typeOf = (kind: string): string => `pulumi-nodejs:dynamic/cloudservices:${kind}`;

/** Returns what the class of a kind extends. */
export function dynamicClass<I extends object, O extends object, A extends object>(
  kind: KindSignature<I, O>,
): ResourceBase<I, O, A> {
  return baseOf(typeOf(kind.name), (resource, name, opts) => {
    const failures = [withoutId(kind.name, name)];
    return new resource(name, { [CONSTRUCTOR_FAILURES_KEY]: failures }, opts);
  });
}

/** Returns what the engine needs to know of a resource. Its properties have a constant text instead of a closure. */
export function registrationOf(
  kind: KindSignature<pulumi.Inputs, pulumi.Inputs>,
  name: string,
  args: object = {},
  opts: pulumi.CustomResourceOptions = {},
): Registration {
  omitPromiseTraces();
  requireOneForm("pulumi-cloudservices", kind.name, name, opts.parent);
  const type = typeOf(kind.name);
  // The engine ignores timeouts of dynamic resources except to validate their syntax.
  const { customTimeouts, import: imported, ...engines } = opts;
  return [
    type,
    name,
    { ...propertiesOf(kind, { ...args }, opts), [URN_KEY]: urnOf(name, type, opts.parent) },
    {
      ...engines,
      aliases: [...(opts.aliases ?? []), { type: `cloudservices:index:${kind.name}` }],
      additionalSecretOutputs: [...new Set([...(opts.additionalSecretOutputs ?? []), ...kind.secrets])],
    },
  ];
}

function propertiesOf(
  kind: KindSignature<pulumi.Inputs, pulumi.Inputs>,
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
  return properties;
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
