import type { Properties } from "../definition/properties.js";

/** One resource as the program declares it. */
export interface DeclaredResource {
  readonly kind: string;
  readonly inputs: Properties;
  /** It does not exist yet, or requests a new name. */
  readonly isNew: boolean;
}

/** The resources that the program declares in this run, by URN: each once, however often the engine checks it. */
export class DeclaredResources {
  readonly #byUrn = new Map<string, DeclaredResource>();

  note(urn: string, declared: DeclaredResource): void {
    this.#byUrn.set(urn, declared);
  }

  of(urn: string): DeclaredResource | undefined {
    return this.#byUrn.get(urn);
  }

  /** Returns the other resources of a kind with their URNs, in the order of the program. */
  others(kind: string, urn: string): [string, DeclaredResource][] {
    return [...this.#byUrn].filter(([other, declared]) => other !== urn && declared.kind === kind);
  }
}
