/** What goes on beside the requests, one thing after the other for each resource. */
export class Works {
  readonly #running = new Map<string, Promise<void>>();

  /**
   * Does the work for a resource once its earlier work is over. What answers at once is finished at once, so that
   * the very next line of the caller sees it done.
   */
  run<R>(
    id: string,
    work: () => R | Promise<R>,
    done: (result: R) => void,
    failed: (error: unknown) => void,
  ): void {
    const earlier = this.#running.get(id);
    if (earlier) {
      this.#track(id, earlier.then(work).then(done, failed));
      return;
    }
    let result: R | Promise<R>;
    try {
      result = work();
    } catch (error) {
      failed(error);
      return;
    }
    if (result instanceof Promise) this.#track(id, result.then(done, failed));
    else done(result);
  }

  /** Resolves when nothing goes on for this resource. */
  async of(id: string): Promise<void> {
    for (let running = this.#running.get(id); running; running = this.#running.get(id)) await running;
  }

  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  #track(id: string, promise: Promise<void>): void {
    const tracked = promise.finally(() => {
      if (this.#running.get(id) === tracked) this.#running.delete(id);
    });
    this.#running.set(id, tracked);
  }
}
