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
  /** As it is called on the client, e.g. `links.create`. */
  readonly call: string;
  /** Whether the specification shows it. */
  readonly basis: Basis;
  readonly method: Method;
  /** Below the base URL, with `:name` for identifiers. */
  readonly path: string;
  /** Where the specification shows it, or what it completes. */
  readonly section: string;
}

/** Every request that this package can send, and on which basis: there is no other. */
export const operations: readonly OperationInfo[] = [
  ...linkOperations,
  ...databaseOperations,
  ...vpsOperations,
  ...mailOperations,
  ...webhookOperations,
  ...utilOperations,
].map(({ call, basis, method, path, section }) => ({ call, basis, method, path, section }));
