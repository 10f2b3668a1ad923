import * as pulumi from "@pulumi/pulumi";
import type { ResourceBase } from "../args.js";
import type { Diagnostic } from "../kernel/diagnostics/diagnostic.js";

/*
 * What the classes of both forms share.
 */

/** Returns whether a value has a type. Compares the type alone: policy packs pass a plain object that has nothing else. */
export const isOfType = (value: unknown, type: string): boolean =>
  typeof value === "object" && value !== null && "__pulumiType" in value && value.__pulumiType === type;

/** A class of resources, as `get` calls it. */
type ResourceConstructor = new (
  name: string,
  args: Readonly<Record<string, unknown>>,
  opts: pulumi.CustomResourceOptions,
) => pulumi.CustomResource;

/**
 * Returns what the class of a kind extends: the engine's class, with the static members of the kind. It is not a class
 * of its own, because the engine's library takes the second frame above its constructor for the line of the program.
 *
 * @param emptyId - Returns what `get` returns for an empty id.
 */
export function baseOf<I, O, A>(
  type: string,
  emptyId: (resource: ResourceConstructor, name: string, opts: pulumi.CustomResourceOptions) => unknown,
): ResourceBase<I, O, A> {
  const members: Readonly<Record<PropertyKey, unknown>> = {
    __pulumiType: type,
    isInstance: (value: unknown) => isOfType(value, type),
    // `this` is the subclass on which `get` was called.
    get(
      this: ResourceConstructor,
      name: string,
      id: pulumi.Input<pulumi.ID>,
      opts: pulumi.CustomResourceOptions = {},
    ) {
      return id ? new this(name, {}, { ...opts, id }) : emptyId(this, name, opts);
    },
  };
  const base = new Proxy(pulumi.CustomResource, {
    get: (engines, member, receiver) =>
      Object.hasOwn(members, member) ? members[member] : Reflect.get(engines, member, receiver),
  });
  // The only place where the properties, which the definition creates at run time, get their static types.
  return base as unknown as ResourceBase<I, O, A>;
}

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
