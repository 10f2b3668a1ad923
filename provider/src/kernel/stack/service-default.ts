/** The value that the service chooses for an omitted input, as far as this process has seen. */
export class ServiceDefault {
  readonly #created = new Set<string>();
  readonly #stored = new Set<string>();

  /** Records the value in the response to a creation that omitted the input. */
  noteCreated(value: unknown): void {
    if (typeof value === "string") this.#created.add(value);
  }

  /** Records the stored value of a resource whose creation omitted the input. The default may have changed since. */
  noteStored(value: unknown): void {
    if (typeof value === "string") this.#stored.add(value);
  }

  /** The default, or undefined while it is unknown or the evidence is contradictory. */
  get value(): string | undefined {
    const seen = this.#created.size > 0 ? this.#created : this.#stored;
    return seen.size === 1 ? [...seen][0] : undefined;
  }
}
