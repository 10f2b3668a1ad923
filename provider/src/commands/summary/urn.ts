import { kinds } from "../../generated/signatures.js";

/** The name of a kind of this package. */
export type KindName = keyof typeof kinds;

/** Which resource a step or a message is about. */
export interface Subject {
  readonly stack: string;
  /** The resource's type as a person calls it: the kind, or the full type of another package. */
  readonly type: string;
  readonly name: string;
  /** Absent for resources of other packages. */
  readonly kind?: KindName;
}

const isKind = (name: string): name is KindName => Object.hasOwn(kinds, name);

/** Returns the parts of `urn:pulumi:<stack>::<project>::<parents' types>$<type>::<name>`. */
export function subjectOf(urn: string): Subject {
  const [start = "", , types = "", ...rest] = urn.split("::");
  const type = types.split("$").at(-1) ?? "";
  const subject = { stack: start.replace(/^urn:pulumi:/, ""), name: rest.join("::") };
  const ours = /^(?:pulumi-nodejs:dynamic\/cloudservices|cloudservices:index):(\w+)$/.exec(type)?.[1];
  return ours !== undefined && isKind(ours) ? { ...subject, type: ours, kind: ours } : { ...subject, type };
}
