import type { z } from "zod";
import type { Tables, Transaction } from "../state/store.js";
import type { Context } from "./context.js";
import { validationError } from "./errors.js";

/** Whether the specification shows the operation or the sandbox adds it. */
type Basis = "documented" | "assumed";
type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

type ParameterName<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParameterName<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

export interface Call<Path extends string, Query, Body, C extends Context = Context> {
  readonly tenant: string;
  readonly params: Readonly<Record<ParameterName<Path>, string>>;
  readonly query: Query;
  readonly body: Body;
  readonly context: C;
  /** The state to read: normally the present one, or an earlier one for an injected stale read. */
  readonly tables: Tables;
  /** Whether `tables` is an earlier state. Such a read has no effect. */
  readonly isStale: boolean;
  readonly write: <R>(body: (transaction: Transaction) => R) => R;
}

/** Pagination members of `meta`. Specification: the list of links. */
interface PageMeta {
  readonly has_more: boolean;
  readonly next_cursor: string | null;
  readonly total_count: number;
}

export interface Result<Data> {
  readonly data: Data;
  readonly page?: PageMeta;
}

interface Definition<
  C extends Context,
  Path extends string,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Data extends z.ZodType,
> {
  readonly id: string;
  readonly summary: string;
  readonly basis: Basis;
  readonly method: Method;
  /** Relative to the base URL; `:name` segments are parameters. */
  readonly path: Path;
  readonly query: Query;
  readonly body: Body;
  readonly success: 200 | 201;
  readonly response: Data;
  /** The type of a body that is not wrapped in the envelope. */
  readonly contentType?: "image/svg+xml";
  handle(
    call: Call<Path, z.output<Query>, z.output<Body>, C>,
  ): Result<z.output<Data>> | Promise<Result<z.output<Data>>>;
}

interface RawCall<C extends Context> {
  readonly tenant: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly context: C;
  readonly tables: Tables;
  /** Whether `tables` is an earlier state. Such a read has no effect. */
  readonly isStale: boolean;
  readonly write: <R>(body: (transaction: Transaction) => R) => R;
}

/** An endpoint: what the router matches, what the OpenAPI document shows, and what runs. */
export interface Operation<C extends Context = Context>
  extends Omit<Definition<C, string, z.ZodType, z.ZodType, z.ZodType>, "handle"> {
  readonly run: (call: RawCall<C>) => Result<unknown> | Promise<Result<unknown>>;
}

/** Returns a function that defines operations with the context `C`. */
export function operationsWith<C extends Context>() {
  return <const Path extends string, Query extends z.ZodType, Body extends z.ZodType, Data extends z.ZodType>(
    definition: Definition<C, Path, Query, Body, Data>,
  ): Operation<C> => {
    const { handle, ...shown } = definition;
    return {
      ...shown,
      run(raw) {
        const query = definition.query.safeParse(raw.query);
        if (!query.success) throw validationError(query.error, raw.query);
        const body = definition.body.safeParse(raw.body);
        if (!body.success) throw validationError(body.error, raw.body);
        const params = raw.params;
        if (!hasParameters(definition.path, params))
          throw new Error(`${definition.path} was matched without its parameters`);
        return handle({ ...raw, params, query: query.data, body: body.data });
      },
    };
  };
}

function hasParameters<Path extends string>(
  path: Path,
  params: Readonly<Record<string, string>>,
): params is Readonly<Record<ParameterName<Path>, string>> {
  return [...path.matchAll(/:(\w+)/g)].every(([, name]) => name !== undefined && name in params);
}
