import type { CloudServices } from "cloudservices-sdk";
import { PlannedNames } from "../plan/planned-names.js";
import type { Settings } from "../settings/settings.js";
import { Claims } from "./claims.js";

/** Reports to the user. */
export interface Reporter {
  /** Shows on a resource's row what it is waiting for, until the next status. */
  status(urn: string | undefined, message: string): void;
  warn(urn: string | undefined, message: string): void;
}

export interface Clock {
  /** Returns milliseconds since the epoch, by this machine's clock. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

/** What the operations of one process on one stack share. */
export class Session {
  readonly names = new PlannedNames();
  readonly claims = new Claims();
  readonly #warned = new Set<string>();

  constructor(
    readonly settings: Settings,
    readonly api: CloudServices,
    readonly reporter: Reporter,
    readonly clock: Clock,
    /** Aborted when the user cancels the run, which ends all waits. */
    readonly cancelled: AbortSignal = new AbortController().signal,
  ) {}

  /** Shows a warning once in this process, however many resources it concerns. */
  warnOnce(urn: string | undefined, message: string): void {
    if (this.#warned.has(message)) return;
    this.#warned.add(message);
    this.reporter.warn(urn, message);
  }
}
