import type { Basis } from "./core/operation.js";
import type { Method } from "./core/request.js";
import { databaseOperations } from "./resources/databases.js";
import { linkOperations } from "./resources/links.js";
import { mailOperations } from "./resources/mail.js";
import { utilOperations } from "./resources/utils.js";
import { vpsOperations } from "./resources/vps.js";
import { webhookOperations } from "./resources/webhooks.js";

/** A request that this package can send. */
export interface OperationInfo {
  /** The call as a program writes it, e.g. `links.create`. */
  readonly call: string;
  /** Whether the specification shows it, or this package assumes it. */
  readonly basis: Basis;
  /** The HTTP method. */
  readonly method: Method;
  /** Below the base URL, with `:name` for identifiers. */
  readonly path: string;
  /** The section that shows it, or the gap that it fills. */
  readonly section: string;
}

/** Every request that this package can send, with its basis in the specification. */
export const operations: readonly OperationInfo[] = [
  ...linkOperations,
  ...databaseOperations,
  ...vpsOperations,
  ...mailOperations,
  ...webhookOperations,
  ...utilOperations,
].map(({ call, basis, method, path, section }) => ({ call, basis, method, path, section }));
