/** What the service had of a kind at one moment, with what this process has made and deleted since. */
export class ExistingResources<R extends object> {
  readonly #ids: Set<string>;
  readonly #remotes: R[];

  constructor(
    private readonly kind: { id(remote: R): string | undefined },
    remotes: readonly R[],
    private readonly gone: ReadonlySet<string>,
  ) {
    this.#remotes = [...remotes];
    this.#ids = new Set(remotes.map((remote) => kind.id(remote) ?? ""));
  }

  /** Those that are still there, as far as this process knows. */
  all(): readonly R[] {
    return this.#remotes.filter((remote) => !this.gone.has(this.kind.id(remote) ?? ""));
  }

  /** Also of one that is gone since: a listing that lags behind may show it still, and it is no newcomer. */
  has(remote: R): boolean {
    return this.#ids.has(this.kind.id(remote) ?? "");
  }

  add(remote: R): void {
    this.#remotes.push(remote);
    this.#ids.add(this.kind.id(remote) ?? "");
  }
}
