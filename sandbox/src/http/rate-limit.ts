import { ApiError } from "../core/errors.js";

export interface RateLimitSetting {
  /** Requests that each tenant may send per window. */
  readonly requests: number;
  /** Length of the window in virtual milliseconds. */
  readonly perMs: number;
}

/** A rate limit for each tenant, off by default. The specification gives no numbers. */
export class RateLimit {
  setting: RateLimitSetting | undefined;
  readonly #initial: RateLimitSetting | undefined;
  readonly #now: () => number;
  readonly #windows = new Map<string, { began: number; used: number }>();

  constructor(now: () => number, setting: RateLimitSetting | undefined) {
    this.#now = now;
    this.#initial = setting;
    this.setting = setting;
  }

  /** Restores the initial limit with fresh windows. */
  reset(): void {
    this.setting = this.#initial;
    this.#windows.clear();
  }

  count(tenant: string): void {
    if (!this.setting) return;
    const now = this.#now();
    const known = this.#windows.get(tenant);
    const window = known && now - known.began < this.setting.perMs ? known : { began: now, used: 0 };
    this.#windows.set(tenant, window);
    if (window.used >= this.setting.requests) {
      const seconds = Math.max(1, Math.ceil((window.began + this.setting.perMs - now) / 1000));
      throw new ApiError(
        429,
        "RATE_LIMITED",
        `The limit of ${this.setting.requests} requests is reached.`,
        undefined,
        {
          "retry-after": String(seconds),
        },
      );
    }
    window.used += 1;
  }
}
