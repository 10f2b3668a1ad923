import { type KindName, kindOfType } from "../../kind-of-type.js";

/** Which resource a step or a message is about. */
export interface Subject {
  readonly stack: string;
  /** The resource's type as a person calls it: the kind, or the full type of another package. */
  readonly type: string;
  readonly name: string;
  /** Absent for resources of other packages. */
  readonly kind?: KindName;
}

/** Returns the parts of `urn:pulumi:<stack>::<project>::<parents' types>$<type>::<name>`. */
export function subjectOf(urn: string): Subject {
  const [start = "", , types = "", ...rest] = urn.split("::");
  const type = types.split("$").at(-1) ?? "";
  const subject = { stack: start.replace(/^urn:pulumi:/, ""), name: rest.join("::") };
  const kind = kindOfType(type);
  return kind ? { ...subject, type: kind, kind } : { ...subject, type };
}
