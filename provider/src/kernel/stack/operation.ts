import type { Capabilities } from "../definition/capabilities.js";
import type { Kind } from "../definition/kind.js";
import { secretNames } from "../definition/kind-values.js";
import type { OperationTimeouts } from "../definition/timeouts.js";
import { describeResource } from "../state/describe.js";
import { withinLimit } from "./deadline.js";
import type { Scope } from "./scope.js";
import type { Session } from "./session.js";

/** What the engine says about one call of a hook. The adapter of the engine's protocol fills it. */
export interface OperationContext {
  /** The URN of the resource; empty when the engine does not send it. */
  readonly urn: string;
  /** The limits of this resource's operations, in milliseconds. */
  readonly timeouts: OperationTimeouts;
  /** The properties that the program marks as secret, besides those of the kind. */
  readonly secrets?: readonly string[];
  /** The id to adopt is an import, so everything that the service returns must match the program. */
  readonly isImport?: boolean;
}

/** One operation on one resource. */
export class Operation<I extends object, R extends object> {
  readonly kind: Kind<I, R>;
  readonly session: Session;
  readonly capabilities: Capabilities<I, R>;
  readonly urn: string;
  readonly timeouts: OperationTimeouts;
  /** The properties whose values no message may show. */
  readonly secrets: ReadonlySet<string>;
  readonly isImport: boolean;

  constructor(
    readonly scope: Scope<I, R>,
    { urn, timeouts, secrets = [], isImport = false }: OperationContext,
  ) {
    this.kind = scope.kind;
    this.session = scope.session;
    this.capabilities = scope.capabilities;
    this.urn = urn;
    this.timeouts = timeouts;
    this.secrets = new Set([...secretNames(this.kind), ...secrets]);
    this.isImport = isImport;
  }

  /** Runs the work of one operation, with all its requests and waits, within its limit. */
  within<T>(name: keyof OperationTimeouts, work: () => T): T {
    // A read has no outcome to look up after the deadline.
    const options = name === "read" ? { grace: 0 } : {};
    return withinLimit(this.timeouts[name], this.session.clock, options, work);
  }

  /** Returns what messages call the resource. */
  describe(id?: string): string {
    return describeResource(this.kind, this.urn, id);
  }

  warn(message: string): void {
    this.session.reporter.warn(this.urn || undefined, message);
  }

  /** Shows on the resource's row what it is waiting for. */
  status(message: string): void {
    this.session.reporter.status(this.urn || undefined, message);
  }
}
