import { ResourceError } from "../diagnostics/errors.js";

/** What this process knows about one resource of the service. */
interface Claim {
  /** This stack's state contains it. */
  isManaged: boolean;
  /** A creation of this process adopted it. */
  isAdopted: boolean;
  /** The URN for which this process adopted it because of its derived name. */
  adopter?: string;
  /** This process has created a resource with the same id as the predecessor that it may replace. */
  isSucceeded: boolean;
  /** A read with the key of this run has found it. */
  isConfirmed: boolean;
  /** This process has read it in order to import it. */
  isImported: boolean;
  /** The URN for which the engine imports it in this process. */
  importer?: string;
  /** The state entries that the program declares, with their URNs. */
  readonly holders: Map<string, string>;
}

/** Which resource of the service belongs to which entry of the state, as far as this process has seen. */
export class Claims {
  readonly #byId = new Map<string, Claim>();
  readonly #existing = new Map<string, string>();
  readonly #created = new Map<string, string>();
  readonly #importing = new Set<string>();

  #of(kind: string, id: string): Claim {
    const key = `${kind} ${id}`;
    const claim = this.#byId.get(key) ?? {
      isManaged: false,
      isAdopted: false,
      isSucceeded: false,
      isConfirmed: false,
      isImported: false,
      holders: new Map(),
    };
    this.#byId.set(key, claim);
    return claim;
  }

  /** Records that this stack's state contains the resource. */
  markManaged(kind: string, id: string): void {
    this.#of(kind, id).isManaged = true;
  }

  isManaged(kind: string, id: string): boolean {
    return this.#of(kind, id).isManaged;
  }

  /**
   * Records that a creation of this process adopted an existing resource.
   *
   * @param adopter - The URN, when the derived name was the reason.
   * @throws ResourceError when this stack manages the resource already.
   */
  markAdopted(kind: string, id: string, adopter?: string): void {
    const claim = this.#of(kind, id);
    if (claim.isManaged) {
      throw new ResourceError({
        code: "ALREADY_MANAGED",
        summary: `${kind} ${id} cannot be adopted: this stack manages it already`,
        cause: "nothing was done.",
        fixes: [{ when: "to rename it in the program", line: "the option `aliases`" }],
      });
    }
    claim.isAdopted = true;
    claim.isManaged = true;
    if (adopter) claim.adopter = adopter;
  }

  isAdopted(kind: string, id: string): boolean {
    return this.#of(kind, id).isAdopted;
  }

  /** Returns whether this process adopted the resource for this URN because of its derived name. */
  isAdoptedFor(kind: string, id: string, urn: string): boolean {
    return urn !== "" && this.#of(kind, id).adopter === urn;
  }

  /**
   * Records that the program declares an entry of the state.
   *
   * @returns The URN of another declared entry with the same id, if there is one.
   */
  claim(kind: string, id: string, entry: string, urn: string): string | undefined {
    const claim = this.#of(kind, id);
    claim.isManaged = true;
    claim.holders.set(entry, urn);
    return [...claim.holders].find(([other]) => other !== entry)?.[1];
  }

  /** Releases an entry. Returns whether the program still declares another entry with the same id. */
  release(kind: string, id: string, entry: string): boolean {
    const { holders } = this.#of(kind, id);
    holders.delete(entry);
    return holders.size > 0;
  }

  /** Records that this process has created a resource with the id of its predecessor. */
  markSucceeded(kind: string, id: string): void {
    this.#of(kind, id).isSucceeded = true;
  }

  isSucceeded(kind: string, id: string): boolean {
    return this.#of(kind, id).isSucceeded;
  }

  /** Records whether a read with the key of this run has found the resource. */
  confirm(kind: string, id: string, exists = true): void {
    this.#of(kind, id).isConfirmed = exists;
  }

  isConfirmed(kind: string, id: string): boolean {
    return this.#of(kind, id).isConfirmed;
  }

  /** Records that this process has read the resource in order to import it. */
  markImported(kind: string, id: string): void {
    this.#of(kind, id).isImported = true;
  }

  isImported(kind: string, id: string): boolean {
    return this.#of(kind, id).isImported;
  }

  /**
   * Records that the engine imports the resource for this URN.
   *
   * @returns The URN of another resource of this stack with the same id, if this process has seen one.
   */
  claimImport(kind: string, id: string, urn: string): string | undefined {
    const claim = this.#of(kind, id);
    claim.importer ??= urn;
    return [claim.importer, this.urnOf(kind, id)].find((other) => other !== undefined && other !== urn);
  }

  /** Records that the program still imports a resource that an earlier run could not import. */
  noteImporting(urn: string): void {
    this.#importing.add(urn);
  }

  isImporting(urn: string): boolean {
    return this.#importing.has(urn);
  }

  /** Records the id of an existing resource of the program. */
  noteExisting(urn: string, id: string): void {
    this.#existing.set(urn, id);
  }

  existingFor(urn: string): string | undefined {
    return this.#existing.get(urn);
  }

  /** Records the id of a resource that this process has created. */
  noteCreated(urn: string, id: string): void {
    this.#created.set(urn, id);
  }

  createdFor(urn: string): string | undefined {
    return this.#created.get(urn);
  }

  /** Returns the URN of the resource with this id; resources of different kinds may share an id. */
  urnOf(kind: string, id: string): string | undefined {
    const isOfKind = (urn: string) => urn.split("::")[2]?.endsWith(`:${kind}`) === true;
    return [...this.#created, ...this.#existing].find(([urn, known]) => known === id && isOfKind(urn))?.[0];
  }
}
