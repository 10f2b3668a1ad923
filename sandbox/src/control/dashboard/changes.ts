import { randomUUID } from "node:crypto";

/** Counts changes, so that open dashboards know when to read again. */
export class Changes {
  // A dashboard outlives a restart, after which the count begins anew.
  readonly #run = randomUUID();
  #count = 0;

  changed(): void {
    this.#count += 1;
  }

  /** Another text after each change, and after a restart. */
  get version(): string {
    return `${this.#run}-${this.#count}`;
  }
}
