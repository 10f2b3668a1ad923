import type { CloudServices } from "cloudservices-sdk";
import type { z } from "zod";

/*
 * The definition of a function is the only declaration of its arguments. Definitions do not import `@pulumi/pulumi`:
 * the program forms in `calls/` and the plugin's Invoke run the same ones.
 */

/** The circumstances of a call. */
export interface CallContext {
  /** The program runs for a preview, which must not wait for what only an update does. */
  readonly preview: boolean;
}

/** A read-only function: its arguments and its request. */
export interface FunctionDefinition<S extends z.core.$ZodLooseShape, R> {
  readonly name: string;
  readonly args: S;
  /** The response is confidential: its output is a secret. */
  readonly secret?: true;
  /** It needs a request that the specification does not show. */
  readonly assumed?: true;
  /** The property that holds a result which is not an object: in other languages, every function returns an object. */
  readonly result?: string;
  /**
   * Sends the request. Returns undefined while the result is not known in a preview.
   *
   * @param service - Returns the stack's client, or throws if the configuration is invalid.
   */
  run(service: () => CloudServices, args: z.output<z.ZodObject<S>>, context: CallContext): R | Promise<R>;
}

/** Any function, for code that serves all of them. */
export type AnyFunction = FunctionDefinition<z.core.$ZodLooseShape, unknown>;

/** Returns the definition of a function, with the types that follow from its arguments. */
export const defineFunction = <S extends z.core.$ZodLooseShape, R>(
  definition: FunctionDefinition<S, R>,
): FunctionDefinition<S, R> => definition;

type OptionalIn<S> = { [F in keyof S]: undefined extends z.input<S[F]> ? F : never }[keyof S];

/** The values of some arguments. Mapped over names of `S` itself, because only then each keeps its comment. */
type ValuesOf<S, F extends keyof S> = { readonly [N in F]: z.input<S[N]> };

/** The arguments of a function, as a program passes them. */
export type ArgsOf<D> =
  D extends FunctionDefinition<infer S, infer _R>
    ? ValuesOf<S, Exclude<keyof S, OptionalIn<S>>> & Partial<ValuesOf<S, OptionalIn<S>>>
    : never;
