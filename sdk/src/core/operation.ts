import { z } from "zod";
import type { Method } from "./request.js";
import { type Reader, readerOf } from "./wire.js";

/**
 * `documented`: the specification shows this request. `assumed`: it does not, and we complete it by the ordinary
 * conventions of REST. See `docs/api-coverage.md`.
 */
export type Basis = "documented" | "assumed";

/** How an answer is looked at. */
export type ResponseKind = "json" | "svg" | "nothing";

interface Definition<I extends z.ZodType, A extends z.ZodType> {
  /** As it is called on the client, e.g. `links.create`. */
  readonly call: string;
  readonly basis: Basis;
  readonly method: Method;
  /** Below the base URL, with `:name` for identifiers. */
  readonly path: string;
  /** Where the specification shows it, or what it completes. */
  readonly section: string;
  readonly input: I;
  readonly response: A;
  readonly kind?: ResponseKind;
  /** Responses hold what strangers have written, and can be large. */
  readonly isLarge?: boolean;
  /** The specification does not show the body, so an empty one is read as an answer without members. */
  readonly bodyNotShown?: boolean;
}

/** One request that the service is asked: what goes in, what comes out, and how sure we are that it exists. */
export interface Operation<I extends z.ZodType = z.ZodType, A extends z.ZodType = z.ZodType>
  extends Definition<I, A> {
  readonly kind: ResponseKind;
  readonly bodyNotShown: boolean;
  readonly read: Reader<z.output<A>>;
}

export function operation<I extends z.ZodType, A extends z.ZodType>(
  definition: Definition<I, A>,
): Operation<I, A> {
  let read: Reader<z.output<A>> | undefined;
  return {
    kind: "json",
    bodyNotShown: false,
    ...definition,
    // Made at the first answer: most programs use few of the calls.
    read: (value) => {
      read ??= readerOf(definition.response);
      return read(value);
    },
  };
}

/** For a call without an input, or without an answer. */
export const nothing = z.undefined();
