import { createHash } from "node:crypto";
import { ApiError } from "../api/error.js";
import type { Outgoing } from "./answer.js";

interface Kept {
  readonly body: string;
  readonly answer: Promise<Outgoing>;
}

const CAPACITY = 10_000;

/**
 * Answers of creations by `Idempotency-Key`, while the sandbox runs. Off unless asked for, since the specification
 * knows no such header. What failed is not kept, so that it can be tried again.
 */
export class IdempotencyKeys {
  readonly #kept = new Map<string, Kept>();

  once(key: string, body: Buffer | undefined, perform: () => Promise<Outgoing>): Promise<Outgoing> {
    const digest = createHash("sha256")
      .update(body ?? "")
      .digest("base64");
    const known = this.#kept.get(key);
    if (known) {
      if (known.body === digest) return known.answer;
      throw new ApiError(409, "CONFLICT", "This Idempotency-Key was used for another request.");
    }
    const answer = perform();
    this.#kept.set(key, { body: digest, answer });
    answer.catch(() => this.#kept.delete(key));
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > CAPACITY && oldest !== undefined) this.#kept.delete(oldest);
    return answer;
  }
}
