import type { Properties } from "../definition/properties.js";

/** One resource as the program declares it. */
export interface DeclaredResource {
  readonly kind: string;
  readonly inputs: Properties;
  /** It does not exist yet, or asks for a name that it did not have. */
  readonly isNew: boolean;
}

/** What the program declares in this run, by URN: each resource once, however often the engine checks it. */
export class DeclaredResources {
  readonly #byUrn = new Map<string, DeclaredResource>();

  note(urn: string, declared: DeclaredResource): void {
    this.#byUrn.set(urn, declared);
  }

  of(urn: string): DeclaredResource | undefined {
    return this.#byUrn.get(urn);
  }

  /** The URNs of other resources of a kind, in the order of the program, with what they declare. */
  others(kind: string, urn: string): [string, DeclaredResource][] {
    return [...this.#byUrn].filter(([other, declared]) => other !== urn && declared.kind === kind);
  }
}
