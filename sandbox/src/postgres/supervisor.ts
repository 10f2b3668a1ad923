import { setTimeout as delay } from "node:timers/promises";

/** A process that has started and is of use. */
export interface Supervised {
  /** Resolves when it has ended, with how it did. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

export interface SupervisorOptions {
  /** What runs, for people. */
  readonly name: string;
  /** Resolves when what was started is of use. */
  readonly start: () => Promise<Supervised>;
  /** Is told when it ends by itself, and when it is given up. */
  readonly report: (trouble: string) => void;
  /** One that ran no longer than this has died quickly. */
  readonly quickMs?: number;
  /** For how long it is tried to start it again. */
  readonly patienceMs?: number;
}

/** After so many quick deaths in a row it is given up. */
const QUICK_DEATHS = 5;
const PAUSE_MS = 250;

/** Starts a process again whenever it ends without having been asked to, as long as that helps. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  #current: Supervised | undefined;
  #up: Promise<void> = Promise.resolve();
  #startedAt = 0;
  #quickDeaths = 0;
  #trouble: string | undefined;
  #isGivenUp = false;
  #isStopping = false;

  private constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** @throws Where it does not start the first time. */
  static async start(options: SupervisorOptions): Promise<Supervisor> {
    const supervisor = new Supervisor(options);
    await supervisor.#launch();
    return supervisor;
  }

  /** Why it is not of use at the moment. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /**
   * Resolves when it is of use. What was given up is tried once more: what was in the way may be gone.
   * @throws Where it has been given up.
   */
  async ready(): Promise<void> {
    if (this.#isGivenUp) this.#revive(0);
    await this.#up;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#up.catch(() => {});
    await this.#current?.stop();
  }

  async #launch(): Promise<void> {
    const launched = await this.#options.start();
    this.#current = launched;
    this.#startedAt = performance.now();
    this.#trouble = undefined;
    launched.ended.then((how) => this.#mourn(how));
  }

  #mourn(how: string): void {
    this.#current = undefined;
    if (this.#isStopping) return;
    const { name, report, quickMs = 10_000, patienceMs = 20_000 } = this.#options;
    const isQuick = performance.now() - this.#startedAt <= quickMs;
    this.#quickDeaths = isQuick ? this.#quickDeaths + 1 : 0;
    const ended = `${name} ended by itself (${how})`;
    if (this.#quickDeaths >= QUICK_DEATHS) {
      this.#up = Promise.reject(this.#giveUp(`${ended}, ${QUICK_DEATHS} times in a row.`));
      this.#up.catch(() => {});
      return;
    }
    this.#trouble = `${ended} and is being started again.`;
    report(this.#trouble);
    this.#revive(patienceMs);
  }

  #revive(patienceMs: number): void {
    this.#isGivenUp = false;
    this.#up = this.#relaunch(patienceMs);
    // Whoever needs it asks for it.
    this.#up.catch(() => {});
  }

  async #relaunch(patienceMs: number): Promise<void> {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      try {
        return await this.#launch();
      } catch (error) {
        if (this.#isStopping || performance.now() >= deadline) {
          const why = error instanceof Error ? error.message : String(error);
          throw this.#giveUp(
            `${this.#options.name} ended by itself, and does not start again: ${why}`,
            error,
          );
        }
      }
      await delay(PAUSE_MS);
    }
  }

  #giveUp(trouble: string, cause?: unknown): Error {
    this.#isGivenUp = true;
    this.#quickDeaths = 0;
    this.#trouble = trouble;
    if (!this.#isStopping) this.#options.report(trouble);
    return new Error(trouble, { cause });
  }
}
