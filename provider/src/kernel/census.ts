/** What the service had of a kind at one moment, and what this process has added to it. */
export class Census<R extends object> {
  readonly #ids: Set<string>;
  readonly #remotes: R[];

  constructor(
    private readonly kind: { id(remote: R): string | undefined },
    remotes: readonly R[],
  ) {
    this.#remotes = [...remotes];
    this.#ids = new Set(remotes.map((remote) => kind.id(remote) ?? ""));
  }

  all(): readonly R[] {
    return this.#remotes;
  }

  has(remote: R): boolean {
    return this.#ids.has(this.kind.id(remote) ?? "");
  }

  add(remote: R): void {
    this.#remotes.push(remote);
    this.#ids.add(this.kind.id(remote) ?? "");
  }
}
