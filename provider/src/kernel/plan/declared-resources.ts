import type { Properties } from "../definition/properties.js";

/** One resource as the program declares it. */
export interface DeclaredResource {
  readonly kind: string;
  readonly inputs: Properties;
  /** It does not exist yet, or requests a new name. */
  readonly isNew: boolean;
  /** Equal for resources with the same name; different names may share it. */
  readonly nameKey: string;
}

/** The resources that the program declares in this run, by URN: each once, however often the engine checks it. */
export class DeclaredResources {
  readonly #byUrn = new Map<string, DeclaredResource>();
  readonly #byName = new Map<string, Map<string, DeclaredResource>>();
  readonly #urns = new Map<string, string>();

  note(urn: string, declared: DeclaredResource): void {
    const before = this.#byUrn.get(urn);
    if (before && keyOf(before) !== keyOf(declared)) this.#byName.get(keyOf(before))?.delete(urn);
    this.#byUrn.set(urn, declared);
    const namesakes = this.#byName.get(keyOf(declared)) ?? new Map<string, DeclaredResource>();
    this.#byName.set(keyOf(declared), namesakes.set(urn, declared));
  }

  of(urn: string): DeclaredResource | undefined {
    return this.#byUrn.get(urn);
  }

  /** Records the id of a resource. */
  noteId(urn: string, kind: string, id: string): void {
    this.#urns.set(`${kind} ${id}`, urn);
  }

  /** Returns the resource of a kind with this id. */
  withId(kind: string, id: string): DeclaredResource | undefined {
    return this.#byUrn.get(this.#urns.get(`${kind} ${id}`) ?? "");
  }

  /** Returns the other resources of a kind with their URNs, in the order of the program. */
  others(kind: string, urn: string): [string, DeclaredResource][] {
    return [...this.#byUrn].filter(([other, declared]) => other !== urn && declared.kind === kind);
  }

  /** Returns the other resources that may have the same name, with their URNs. */
  namesakes(urn: string, declared: DeclaredResource): [string, DeclaredResource][] {
    return [...(this.#byName.get(keyOf(declared)) ?? [])].filter(([other]) => other !== urn);
  }
}

const keyOf = ({ kind, nameKey }: DeclaredResource): string => `${kind} ${nameKey}`;
