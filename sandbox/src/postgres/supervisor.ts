import { setTimeout as delay } from "node:timers/promises";

/** A started process that is ready. */
export interface Supervised {
  /** Resolves when the process ends, with its status. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

export interface SupervisorOptions {
  /** The name in messages. */
  readonly name: string;
  /** Starts the process; resolves when it is ready. */
  readonly start: () => Promise<Supervised>;
  /** Called when the process ends unexpectedly, and when restarting it is abandoned. */
  readonly report: (trouble: string) => void;
  /** An exit within this time counts as quick. */
  readonly quickMs?: number;
  /** How long to retry a restart. */
  readonly patienceMs?: number;
}

/** Quick exits in a row after which restarting is abandoned. */
const QUICK_DEATHS = 5;
const PAUSE_MS = 250;

/** Restarts a process whenever it ends unexpectedly, until that no longer helps. */
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

  /** @throws Where the first start fails. */
  static async start(options: SupervisorOptions): Promise<Supervisor> {
    const supervisor = new Supervisor(options);
    await supervisor.#launch();
    return supervisor;
  }

  /** Why the process is not ready, if it is not. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /**
   * Resolves when the process is ready. Retries once if restarting was abandoned, since the problem may be solved.
   * @throws Where restarting is abandoned.
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
    const ended = `${name} ended unexpectedly (${how})`;
    if (this.#quickDeaths >= QUICK_DEATHS) {
      this.#up = Promise.reject(this.#giveUp(`${ended}, ${QUICK_DEATHS} times in a row.`));
      this.#up.catch(() => {});
      return;
    }
    this.#trouble = `${ended} and is restarting.`;
    report(this.#trouble);
    this.#revive(patienceMs);
  }

  #revive(patienceMs: number): void {
    this.#isGivenUp = false;
    this.#up = this.#relaunch(patienceMs);
    // Callers of `ready` receive the error.
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
            `${this.#options.name} ended unexpectedly and cannot be restarted: ${why}`,
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
