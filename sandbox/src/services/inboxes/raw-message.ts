import type { Context } from "../../core/context.js";
import { ApiError } from "../../core/errors.js";

/**
 * Returns a stored mail as it was received.
 * @throws ApiError where there is no such message.
 */
export function rawMessage({ store }: Pick<Context, "store">, id: string): Buffer {
  const raw = store.tables.messages.get(id)?.raw;
  if (raw === undefined)
    throw new ApiError(404, "RESOURCE_NOT_FOUND", `There is no message "${id}", or no source of it.`);
  return Buffer.from(raw, "latin1");
}
