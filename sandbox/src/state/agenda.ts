export interface Appointment<T> {
  readonly at: number;
  readonly what: T;
}

/** Appointments in order of time; simultaneous ones in order of insertion. */
export class Agenda<T> {
  /** Descending, so that taking the next one is cheap. */
  #appointments: Array<Appointment<T>> = [];

  get size(): number {
    return this.#appointments.length;
  }

  add(at: number, what: T): void {
    let low = 0;
    let high = this.#appointments.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#appointments[middle]?.at ?? 0) > at) low = middle + 1;
      else high = middle;
    }
    this.#appointments.splice(low, 0, { at, what });
  }

  next(): Appointment<T> | undefined {
    return this.#appointments.at(-1);
  }

  take(): Appointment<T> | undefined {
    return this.#appointments.pop();
  }

  /** Removes the appointments that fail a test. */
  retain(test: (appointment: Appointment<T>) => boolean): void {
    this.#appointments = this.#appointments.filter(test);
  }
}
