import type { z } from "zod";

/*
 * The types of responses and inputs are interfaces, because editors show those by name and with the comments of their
 * members. The schemas beside them are checked against them.
 */

/** A whole number. */
export type Integer = number;

/** A text with known values, which editors complete. Any other text is valid, because the service may add values. */
export type OpenText<Known extends string> = Known | (string & {});

/** The schemas of the members of a type. An optional member has an optional schema. */
export type ShapeOf<T> = {
  readonly [N in keyof T]-?: IsOptional<T, N> extends true
    ? z.ZodOptional<z.ZodType<Exclude<T[N], undefined>>>
    : z.ZodType<T[N]>;
};

/** The names of the members that a type requires, as an object: a new member cannot be forgotten in it. */
export type RequiredNames<T> = { readonly [N in keyof T as IsOptional<T, N> extends true ? never : N]: true };

type IsOptional<T, N extends keyof T> = Partial<Pick<T, N>> extends Pick<T, N> ? true : false;

/**
 * A resource as a list shows it: only the id is certain. The specification does not show the fields of listed links, and
 * shows no other list.
 */
export type Listed<T, Id extends keyof T> = Readonly<Pick<T, Id>> & {
  readonly [N in keyof T as N extends Id ? never : N]?: T[N] | undefined;
};
