import { ApiError } from "../core/errors.js";

export interface RateLimitSetting {
  /** Requests that each tenant may send per window. */
  readonly requests: number;
  /** Length of the window in virtual milliseconds. */
  readonly perMs: number;
}

/** Anybody can name a tenant, so the number of windows is limited. */
const MAX_WINDOWS = 10_000;

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

  /** Deletes ended windows, or else the oldest one. */
  #forgetOldest(now: number, perMs: number): void {
    for (const [tenant, { began }] of this.#windows) if (now - began >= perMs) this.#windows.delete(tenant);
    const [oldest] = this.#windows.keys();
    if (this.#windows.size > MAX_WINDOWS && oldest !== undefined) this.#windows.delete(oldest);
  }

  count(tenant: string): void {
    if (!this.setting) return;
    const now = this.#now();
    const known = this.#windows.get(tenant);
    const window = known && now - known.began < this.setting.perMs ? known : { began: now, used: 0 };
    this.#windows.set(tenant, window);
    if (this.#windows.size > MAX_WINDOWS) this.#forgetOldest(now, this.setting.perMs);
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
