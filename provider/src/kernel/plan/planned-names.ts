import { deriveName, type NameForm } from "../definition/auto-name.js";
import { DeclaredResources } from "./declared-resources.js";

/**
 * The names that this process has planned. The engine checks a resource that is replaced a second time without
 * its old inputs; what the first check saw then tells a successor from a first creation.
 */
export class PlannedNames {
  readonly declared = new DeclaredResources();
  readonly #current = new Map<string, string>();
  readonly #ids = new Map<string, string>();
  readonly #created = new Map<string, string>();
  readonly #derived = new Set<string>();
  readonly #given = new Set<string>();
  readonly #adopting = new Map<string, string>();

  /** Notes a resource that exists, and its name or whatever else its successor's name is to be told apart by. */
  existing(urn: string, name: string): void {
    this.#current.set(urn, name);
  }

  /** Notes whether the program names the resource itself. */
  given(urn: string, itself: boolean): void {
    if (itself) this.#given.add(urn);
    else this.#given.delete(urn);
  }

  /** Notes which existing resource the program asks to adopt. */
  adopting(urn: string, id: unknown): void {
    if (typeof id === "string") this.#adopting.set(urn, id);
    else this.#adopting.delete(urn);
  }

  adoptionAsked(urn: string): string | undefined {
    return this.#adopting.get(urn);
  }

  /** Whether the resource to be created takes the place of one that this process has seen. */
  isReplacement(urn: string): boolean {
    return this.#current.has(urn);
  }

  /** Notes the id of a resource that exists; the check, which notes its name, does not get it. */
  known(urn: string, id: string): void {
    this.#ids.set(urn, id);
  }

  /** Notes the id of a resource that this process has created. */
  created(urn: string, id: string): void {
    this.#created.set(urn, id);
  }

  /** The id of what this process has created for a resource of the program. */
  createdFor(urn: string): string | undefined {
    return this.#created.get(urn);
  }

  /** The resource of the program that has an id; resources of different kinds may have the same. */
  urnOf(kind: string, id: string): string | undefined {
    const isOfKind = (urn: string) => urn.split("::")[2]?.endsWith(`:${kind}`) === true;
    return [...this.#created, ...this.#ids].find(([urn, known]) => known === id && isOfKind(urn))?.[0];
  }

  /** The id of the resource that is to be replaced, where this process has seen it. */
  predecessor(urn: string): string | undefined {
    return this.isReplacement(urn) ? this.#ids.get(urn) : undefined;
  }

  isGiven(urn: string): boolean {
    return this.#given.has(urn);
  }

  /** The name for a resource to be created, which no live resource of this stack has. */
  derive(form: NameForm, urn: string, namespace: string | undefined): string {
    const name = deriveName(form, { urn, namespace }, this.#current.get(urn));
    this.#derived.add(`${urn}\n${name}`);
    return name;
  }

  /** Whether we made this name, so that a resource that has it can only be ours. */
  isDerived(urn: string, name: string): boolean {
    return this.#derived.has(`${urn}\n${name}`);
  }
}
