import type * as pulumi from "@pulumi/pulumi";

/*
 * The types of the classes, the same for both forms of the provider.
 */

/** Keeps boolean whole: as a distributed union, it would reject an output of boolean. */
type Given<T> = T extends readonly (infer M)[]
  ? pulumi.Input<pulumi.Input<M>[]>
  : pulumi.Input<T extends boolean ? boolean : T>;

/** Inputs as a program sets them: each may be the output of another resource. */
export type Args<I> = {
  // Not NonNullable, which turns an open union into a plain string, so that editors lose their suggestions.
  [F in keyof I]: Given<Exclude<I[F], undefined>> | (undefined extends I[F] ? undefined : never);
};

/** The outputs of a resource, for other resources to use. */
export type Outputs<T> = { readonly [F in keyof T]-?: pulumi.Output<T[F]> };

/** The input of every kind that can take over an existing resource. */
export interface Adoptable {
  /**
   * The id of an existing resource to manage instead of creating one. Inputs that only a new resource can change must
   * match what the service returns; the others are changed in place. Inputs that the service does not return are
   * unverified: correcting a wrong one later may replace the resource, so use `protect: true`. Has no effect after
   * creation.
   */
  adopt?: string | undefined;
}

/** The engine's options of a resource; `customTimeouts` may also limit reads. */
export interface ResourceOptions extends pulumi.CustomResourceOptions {
  customTimeouts?: pulumi.CustomTimeouts & { read?: string };
}

/** What a constructor passes on to the engine. */
export type Registration = readonly [
  type: string,
  name: string,
  properties: pulumi.Inputs,
  opts: pulumi.CustomResourceOptions,
];

/** What the class of a kind extends. */
export type ResourceBase<I, O, A> = Known<A> &
  (new (
    ...registration: Registration
  ) => pulumi.CustomResource & Outputs<I & O>);

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
  /** Returns whether a value is such a resource, even from another copy of this package. */
  isInstance(value: unknown): boolean;
  /** The engine's type name, by which policy packs find the resources. */
  readonly __pulumiType: string;
}

/** What the class of a kind needs to know of its definition. */
export interface KindSignature<I, O> {
  readonly name: string;
  readonly inputs: readonly (keyof I & string)[];
  readonly outputs: readonly (keyof O & string)[];
  /** The inputs and outputs that are secret. */
  readonly secrets: readonly (keyof (I & O) & string)[];
}
