import type { Clock } from "../state/clock.js";
import type { Store } from "../state/store.js";
import type { Background } from "./background.js";
import type { Random } from "./ids.js";
import type { Progressions } from "./progressions.js";

export type Profile = "conventional" | "documented";

/** What every operation can reach. A service that needs more extends this in its own `context.ts`. */
export interface Context {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly profile: Profile;
  readonly progressions: Progressions;
  /** Work that continues after a response: provisioning databases, delivering notifications. */
  readonly background: Background;
  /** `{base_url}` of the specification; ends with `/v1`. */
  readonly baseUrl: string;
  /** Whether lists show only identifying fields. */
  readonly summaryLists: boolean;
  /** Resolves when everything committed so far is on disk. */
  durable(): Promise<void>;
  /** Reports an error that no request waits for. */
  report(error: unknown): void;
  /** Runs everything that is due by the virtual clock. */
  runDue(): void;
}
