import type { Profile } from "../core/context.js";
import type { Operation } from "../core/operation.js";
import type { ServicesContext } from "./context.js";
import { backupScheduleOperations } from "./databases/backup-schedules.js";
import { databaseOperations } from "./databases/operations.js";
import { dnsOperations } from "./dns/operations.js";
import { tempmailOperations } from "./inboxes/operations.js";
import { ipOperations } from "./ip/operations.js";
import { linkOperations } from "./links/operations.js";
import { vpsOperations } from "./vps/operations.js";
import { webhookOperations } from "./webhooks/operations.js";
import { relayOperations } from "./webhooks/relay.js";

/** An operation of any service. */
export type ServiceOperation = Operation<ServicesContext>;

const operations: readonly ServiceOperation[] = [
  ...linkOperations,
  ...databaseOperations,
  ...backupScheduleOperations,
  ...webhookOperations,
  ...vpsOperations,
  ...tempmailOperations,
  ...dnsOperations,
  ...ipOperations,
  ...relayOperations,
];

/** Returns the operations of a profile; `documented` has only those in the specification. */
export function operationsOf(profile: Profile): readonly ServiceOperation[] {
  return profile === "documented" ? operations.filter(({ basis }) => basis === "documented") : operations;
}
