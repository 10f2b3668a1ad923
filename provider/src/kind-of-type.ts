import { kinds } from "./generated/signatures.js";

/** The name of a kind of this package. */
export type KindName = keyof typeof kinds;

const isKind = (name: string): name is KindName => Object.hasOwn(kinds, name);

/** Returns the kind of a resource type in either form, or `undefined` for types of other packages. */
export function kindOfType(type: string): KindName | undefined {
  const name = /^(?:pulumi-nodejs:dynamic\/cloudservices|cloudservices:index):(\w+)$/.exec(type)?.[1];
  return name !== undefined && isKind(name) ? name : undefined;
}
