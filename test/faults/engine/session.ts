import type { Generation } from "../host/generation.js";
import type { ProviderClient } from "../provider-client.js";
import { Failed, Killed } from "../world.js";

/** A running provider process. */
export interface Session {
  readonly client: ProviderClient;
  readonly process: Generation;
}

/** Starts a configured provider process. */
export type StartSession = (config: Readonly<Record<string, string>>) => Promise<Session>;

export function endSession({ client, process }: Session): void {
  client.close();
  process.kill();
}

/** Throws if one of the steps failed: a kill first, because it ends the command at once. */
export function throwIfAny(errors: readonly unknown[], message: string): void {
  const killed = errors.find((error) => error instanceof Killed);
  if (killed) throw killed;
  if (errors.length > 0) throw new Failed(message);
}

export const errorsIn = (results: readonly PromiseSettledResult<unknown>[]): unknown[] =>
  results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
