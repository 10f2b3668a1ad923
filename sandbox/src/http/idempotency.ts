import { createHash } from "node:crypto";
import { ApiError } from "../core/errors.js";
import type { OutgoingResponse } from "./responses.js";

interface StoredResponse {
  readonly tenant: string;
  readonly body: string;
  readonly answer: Promise<OutgoingResponse>;
}

const CAPACITY = 10_000;

/**
 * Remembers responses to creations by `Idempotency-Key`, in memory. Optional, since the specification has no such
 * header. Failures are not remembered, so that they can be retried.
 */
export class IdempotencyKeys {
  readonly #kept = new Map<string, StoredResponse>();

  /** @param request - The scope of the key: another tenant or path has its own keys. */
  once(
    request: { readonly tenant: string; readonly path: string; readonly key: string },
    body: Buffer | undefined,
    perform: () => Promise<OutgoingResponse>,
  ): Promise<OutgoingResponse> {
    const { tenant } = request;
    const key = `${tenant} ${request.path} ${request.key}`;
    const digest = createHash("sha256")
      .update(body ?? "")
      .digest("base64");
    const known = this.#kept.get(key);
    if (known) {
      if (known.body === digest) return known.answer;
      throw new ApiError(409, "CONFLICT", "This Idempotency-Key was used for another request.");
    }
    const answer = perform();
    const kept: StoredResponse = { tenant, body: digest, answer };
    this.#kept.set(key, kept);
    answer.catch(() => {
      if (this.#kept.get(key) === kept) this.#kept.delete(key);
    });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > CAPACITY && oldest !== undefined) this.#kept.delete(oldest);
    return answer;
  }
  /** Forgets the keys of one tenant or of all, because the resources behind them are deleted. */
  forget(tenant?: string): void {
    for (const [key, kept] of this.#kept)
      if (tenant === undefined || kept.tenant === tenant) this.#kept.delete(key);
  }
}
