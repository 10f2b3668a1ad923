import type { CloudServices } from "cloudservices-sdk";
import { ResourceError } from "../diagnostics/errors.js";
import { PlannedNames } from "../plan/planned-names.js";
import type { Settings } from "../settings/settings.js";

/** Where the user sees what a resource is doing. */
export interface Reporter {
  /** What a resource is waiting for, on its own row, until the next status. */
  status(urn: string | undefined, message: string): void;
  warn(urn: string | undefined, message: string): void;
}

export interface Clock {
  /** Milliseconds since the epoch, by this machine. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

/** What this process knows of one resource of the service. */
interface Known {
  /** The state of this stack has it. */
  managed: boolean;
  /** A creation of this process took it over. */
  adopted: boolean;
  /** This process has set a resource that is known by the same id as the one that it may replace. */
  succeeded: boolean;
  /** The entries of the state that are resources of the program, with what messages call them. */
  readonly holders: Map<string, string>;
}

/** What the operations of one process on one stack share. */
export class Session {
  readonly names = new PlannedNames();
  readonly #known = new Map<string, Known>();
  readonly #told = new Set<string>();

  constructor(
    readonly settings: Settings,
    readonly api: CloudServices,
    readonly reporter: Reporter,
    readonly clock: Clock,
    /** Aborted when the user has cancelled the run: waiting ends. */
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

  /** Notes that the state of this stack has the resource. */
  markManaged(kind: string, id: string): void {
    this.#of(kind, id).managed = true;
  }

  isManaged(kind: string, id: string): boolean {
    return this.#of(kind, id).managed;
  }

  /** Notes that a creation of this process took an existing resource over. */
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
   * Notes that an entry of the state is a resource of the program, and what messages call it. Gives what they call
   * another one of the same id.
   */
  claim(kind: string, id: string, entry: string, called: string): string | undefined {
    const known = this.#of(kind, id);
    known.managed = true;
    known.holders.set(entry, called);
    return [...known.holders].find(([other]) => other !== entry)?.[1];
  }

  /** Gives an entry up; tells whether another resource of the program goes on having what it stood for. */
  release(kind: string, id: string, entry: string): boolean {
    const { holders } = this.#of(kind, id);
    holders.delete(entry);
    return holders.size > 0;
  }

  /** Notes that this process has set what is known by the id of its predecessor. */
  markSucceeded(kind: string, id: string): void {
    this.#of(kind, id).succeeded = true;
  }

  isSucceeded(kind: string, id: string): boolean {
    return this.#of(kind, id).succeeded;
  }

  /** Warns once in this process, however many resources are concerned. */
  warnOnce(urn: string | undefined, message: string): void {
    if (this.#told.has(message)) return;
    this.#told.add(message);
    this.reporter.warn(urn, message);
  }
}
