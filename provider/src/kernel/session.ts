import type { CloudServices } from "cloudservices-sdk";
import { ResourceError } from "./errors.js";
import { NamesInPlan } from "./named.js";
import type { Settings } from "./settings.js";

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

/** What the operations of one process on one stack share. */
export class Session {
  readonly names = new NamesInPlan();
  readonly #managed = new Set<string>();
  readonly #adopted = new Set<string>();
  readonly #successors = new Set<string>();
  readonly #holders = new Map<string, Set<string>>();
  readonly #told = new Set<string>();

  constructor(
    readonly settings: Settings,
    readonly api: CloudServices,
    readonly reporter: Reporter,
    readonly clock: Clock,
  ) {}

  /** Notes that the state of this stack has the resource. */
  manages(kind: string, id: string): void {
    this.#managed.add(`${kind} ${id}`);
  }

  isManaged(kind: string, id: string): boolean {
    return this.#managed.has(`${kind} ${id}`);
  }

  /** Notes that a creation of this process took an existing resource over. */
  adopts(kind: string, id: string): void {
    if (this.isManaged(kind, id)) {
      throw new ResourceError(
        `${kind} ${id} is managed by this stack already, so it cannot be adopted a second time. Nothing was done. ` +
          "To rename a resource in the program, use the option `aliases`.",
      );
    }
    this.#adopted.add(`${kind} ${id}`);
    this.manages(kind, id);
  }

  /** Notes which resource of the program an id belongs to. */
  holds(kind: string, id: string, urn: string | undefined): void {
    const key = `${kind} ${id}`;
    this.manages(kind, id);
    if (urn !== undefined) this.#holders.set(key, (this.#holders.get(key) ?? new Set()).add(urn));
  }

  /** Gives an id up for one resource; tells whether another resource of the program goes on having it. */
  releases(kind: string, id: string, urn: string | undefined): boolean {
    const holders = this.#holders.get(`${kind} ${id}`);
    if (urn !== undefined) holders?.delete(urn);
    return holders !== undefined && holders.size > 0;
  }

  isAdopted(kind: string, id: string): boolean {
    return this.#adopted.has(`${kind} ${id}`);
  }

  /** Notes that this process has set a resource that is known by the same id as the one it may replace. */
  succeeds(kind: string, id: string): void {
    this.#successors.add(`${kind} ${id}`);
  }

  isSucceeded(kind: string, id: string): boolean {
    return this.#successors.has(`${kind} ${id}`);
  }

  /** Warns once in this process, however many resources are concerned. */
  warnOnce(urn: string | undefined, message: string): void {
    if (this.#told.has(message)) return;
    this.#told.add(message);
    this.reporter.warn(urn, message);
  }
}
