import { deriveName, type NameForm } from "../definition/auto-name.js";
import { DeclaredResources } from "./declared-resources.js";

/**
 * The names that this process has planned. For a replacement, the engine calls check a second time without the old
 * inputs; the record of the first call then distinguishes a successor from a first creation.
 */
export class PlannedNames {
  readonly declared = new DeclaredResources();
  readonly #current = new Map<string, string>();
  readonly #derived = new Set<string>();
  readonly #given = new Set<string>();
  readonly #adopting = new Map<string, string>();

  /** Records an existing resource and its name, or another value that makes its successor's name differ. */
  existing(urn: string, name: string): void {
    this.#current.set(urn, name);
  }

  /** Records whether the program sets the name itself. */
  given(urn: string, itself: boolean): void {
    if (itself) this.#given.add(urn);
    else this.#given.delete(urn);
  }

  /** Records which existing resource the program adopts. */
  adopting(urn: string, id: unknown): void {
    if (typeof id === "string") this.#adopting.set(urn, id);
    else this.#adopting.delete(urn);
  }

  adoptionAsked(urn: string): string | undefined {
    return this.#adopting.get(urn);
  }

  /** Returns whether the resource to create replaces one that this process has seen. */
  isReplacement(urn: string): boolean {
    return this.#current.has(urn);
  }

  isGiven(urn: string): boolean {
    return this.#given.has(urn);
  }

  /** Derives a name for a resource to create, which no existing resource of this stack has. */
  derive(form: NameForm, urn: string, namespace: string | undefined): string {
    const name = deriveName(form, { urn, namespace }, this.#current.get(urn));
    this.#derived.add(`${urn}\n${name}`);
    return name;
  }

  /** Returns whether this process derived the name, so that a resource with it belongs to this stack. */
  isDerived(urn: string, name: string): boolean {
    return this.#derived.has(`${urn}\n${name}`);
  }
}
