import { z } from "zod";
import { type Read, type Reader, type Requirement, readerOf } from "./reader.js";
import type { Method } from "./request.js";

/**
 * `documented`: the specification shows this request. `assumed`: it does not, and this package adds it by the usual
 * conventions of REST. See `docs/api-coverage.md`.
 */
export type Basis = "documented" | "assumed";

/** How a response is read. */
export type ResponseKind = "json" | "svg";

interface Definition<I extends z.ZodType, A extends z.ZodType> {
  /** The call as a program writes it, e.g. `links.create`. */
  readonly call: string;
  readonly basis: Basis;
  readonly method: Method;
  /** Below the base URL, with `:name` for identifiers. */
  readonly path: string;
  /** The section that shows it, or the gap that it fills. */
  readonly section: string;
  readonly input: I;
  readonly response: A;
  readonly kind?: ResponseKind;
  /** Responses hold texts of third parties, and can be large. */
  readonly isLarge?: boolean;
  /** The specification does not show the response body, so an empty body counts as an object without members. */
  readonly bodyNotShown?: boolean;
}

/** The definition of one request: input, response, and its basis in the specification. */
export interface Operation<I extends z.ZodType = z.ZodType, A extends z.ZodType = z.ZodType>
  extends Definition<I, A> {
  readonly kind: ResponseKind;
  readonly bodyNotShown: boolean;
  /** Reads the data of a response. */
  readonly read: (value: unknown, required: Requirement) => Read<z.output<A>>;
}

export function operation<I extends z.ZodType, A extends z.ZodType>(
  definition: Definition<I, A>,
): Operation<I, A> {
  const readers: { [R in Requirement]?: Reader<z.output<A>> } = {};
  return {
    kind: "json",
    bodyNotShown: false,
    ...definition,
    // Built at the first response: most programs use few of the calls.
    read: (value, required) => {
      const read = readers[required] ?? readerOf(definition.response, required);
      readers[required] = read;
      return read(value);
    },
  };
}

/** For a call without input, or without response data. */
export const nothing = z.undefined();
