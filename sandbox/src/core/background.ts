/** Work that continues after a response, one item at a time for each resource. */
export class Background {
  readonly #running = new Map<string, Promise<void>>();
  readonly #report: (error: unknown) => void;

  /** @param report - Receives failures that could not be recorded. */
  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  /**
   * Runs work on a resource after its earlier work. Synchronous work completes before this returns, so that the
   * caller sees its result. Never throws: an error reaches `failed`.
   */
  run<R>(
    id: string,
    work: () => R | Promise<R>,
    done: (result: R) => void,
    failed: (error: unknown) => void,
  ): void {
    const earlier = this.#running.get(id);
    if (earlier) {
      this.#track(id, earlier.then(work).then(done).catch(failed));
      return;
    }
    try {
      const result = work();
      if (result instanceof Promise) this.#track(id, result.then(done).catch(failed));
      else done(result);
    } catch (error) {
      this.#fail(failed, error);
    }
  }

  /** Resolves when no work on this resource is running. */
  async waitFor(id: string): Promise<void> {
    for (let running = this.#running.get(id); running; running = this.#running.get(id)) await running;
  }

  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  #fail(failed: (error: unknown) => void, error: unknown): void {
    try {
      failed(error);
    } catch (unrecorded) {
      this.#report(unrecorded);
    }
  }

  #track(id: string, promise: Promise<void>): void {
    const tracked = promise.catch(this.#report).finally(() => {
      if (this.#running.get(id) === tracked) this.#running.delete(id);
    });
    this.#running.set(id, tracked);
  }
}
