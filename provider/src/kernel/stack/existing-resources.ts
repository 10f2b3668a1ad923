/** The resources of a kind at one moment, with what this process has created and deleted since. */
export class ExistingResources<R extends object> {
  readonly #ids: Set<string>;
  readonly #remotes: R[];

  constructor(
    private readonly kind: { id(remote: R): string | undefined },
    remotes: readonly R[],
    private readonly deleted: ReadonlySet<string>,
  ) {
    this.#remotes = [...remotes];
    this.#ids = new Set(remotes.map((remote) => kind.id(remote) ?? ""));
  }

  /** Returns those that still exist, as far as this process knows. */
  all(): readonly R[] {
    return this.#remotes.filter((remote) => !this.deleted.has(this.kind.id(remote) ?? ""));
  }

  /** Also true for a resource deleted since: a stale listing may still show it, and it is not new. */
  has(remote: R): boolean {
    return this.#ids.has(this.kind.id(remote) ?? "");
  }

  add(remote: R): void {
    this.#remotes.push(remote);
    this.#ids.add(this.kind.id(remote) ?? "");
  }
}
