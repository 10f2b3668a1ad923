export const PACKAGE = "cloudservices";

/** Returns the token of a resource, a function or a type. */
export const token = (name: string): string => `${PACKAGE}:index:${name}`;

export const pascal = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** Returns the name of one element of a list. `Vps` has no plural. */
export const singular = (name: string): string =>
  name
    .replace(/ies$/, "y")
    .replace(/xes$/, "x")
    .replace(/(?<!Vp)s$/, "");

/** Returns the name of a value in an enum: `debian-12` is `Debian12`, `ubuntu-24.04-lts` is `Ubuntu24_04Lts`. */
export const valueName = (value: string): string =>
  value
    .replace(/(?<=\d)[^a-zA-Z0-9]+(?=\d)/g, "_")
    .split(/[^a-zA-Z0-9_]+|_(?=\D)/)
    .map(pascal)
    .join("");
