import type { CloudServices } from "cloudservices-sdk";
import { ResourceError } from "../diagnostics/errors.js";
import { PlannedNames } from "../plan/planned-names.js";
import type { Settings } from "../settings/settings.js";

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

/** What this process knows about one resource of the service. */
interface Known {
  /** This stack's state contains it. */
  managed: boolean;
  /** A creation of this process took it over. */
  adopted: boolean;
  /** This process has created a resource with the same id as the predecessor that it may replace. */
  succeeded: boolean;
  /** The state entries that the program declares, with their descriptions for messages. */
  readonly holders: Map<string, string>;
}

/** What the operations of one process on one stack share. */
export class Session {
  readonly names = new PlannedNames();
  readonly #known = new Map<string, Known>();
  readonly #warned = new Set<string>();

  constructor(
    readonly settings: Settings,
    readonly api: CloudServices,
    readonly reporter: Reporter,
    readonly clock: Clock,
    /** Aborted when the user cancels the run, which ends all waits. */
    readonly cancelled: AbortSignal = new AbortController().signal,
  ) {}

  #of(kind: string, id: string): Known {
    const key = `${kind} ${id}`;
    const known = this.#known.get(key) ?? {
      managed: false,
      adopted: false,
      succeeded: false,
      holders: new Map(),
    };
    this.#known.set(key, known);
    return known;
  }

  /** Records that this stack's state contains the resource. */
  markManaged(kind: string, id: string): void {
    this.#of(kind, id).managed = true;
  }

  isManaged(kind: string, id: string): boolean {
    return this.#of(kind, id).managed;
  }

  /** Records that a creation of this process took over an existing resource. */
  markAdopted(kind: string, id: string): void {
    const known = this.#of(kind, id);
    if (known.managed) {
      throw new ResourceError({
        code: "ALREADY_MANAGED",
        summary: `${kind} ${id} cannot be adopted: this stack manages it already`,
        cause: "nothing was done.",
        fixes: [{ when: "to rename it in the program", line: "the option `aliases`" }],
      });
    }
    known.adopted = true;
    known.managed = true;
  }

  isAdopted(kind: string, id: string): boolean {
    return this.#of(kind, id).adopted;
  }

  /**
   * Records that the program declares an entry of the state.
   *
   * @param description - What messages call the resource.
   * @returns The description of another declared entry with the same id, if there is one.
   */
  claim(kind: string, id: string, entry: string, description: string): string | undefined {
    const known = this.#of(kind, id);
    known.managed = true;
    known.holders.set(entry, description);
    return [...known.holders].find(([other]) => other !== entry)?.[1];
  }

  /** Releases an entry. Returns whether the program still declares another entry with the same id. */
  release(kind: string, id: string, entry: string): boolean {
    const { holders } = this.#of(kind, id);
    holders.delete(entry);
    return holders.size > 0;
  }

  /** Records that this process has created a resource with the id of its predecessor. */
  markSucceeded(kind: string, id: string): void {
    this.#of(kind, id).succeeded = true;
  }

  isSucceeded(kind: string, id: string): boolean {
    return this.#of(kind, id).succeeded;
  }

  /** Shows a warning once in this process, however many resources it concerns. */
  warnOnce(urn: string | undefined, message: string): void {
    if (this.#warned.has(message)) return;
    this.#warned.add(message);
    this.reporter.warn(urn, message);
  }
}
