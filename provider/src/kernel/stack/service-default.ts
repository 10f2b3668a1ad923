/** What the service chooses for an input that a program leaves out, as far as this process has seen. */
export class ServiceDefault {
  readonly #answered = new Set<string>();
  readonly #remembered = new Set<string>();

  /** Notes the response to a creation that left the input out. */
  answered(value: unknown): void {
    if (typeof value === "string") this.#answered.add(value);
  }

  /** Notes what the state has of a resource whose creation left the input out. The default may have changed since. */
  remembered(value: unknown): void {
    if (typeof value === "string") this.#remembered.add(value);
  }

  /** The default, or undefined while nothing shows it or the evidence contradicts itself. */
  get value(): string | undefined {
    const seen = this.#answered.size > 0 ? this.#answered : this.#remembered;
    return seen.size === 1 ? [...seen][0] : undefined;
  }
}
