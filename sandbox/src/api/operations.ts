import type { Profile } from "../world.js";
import { backupScheduleOperations } from "./backup-schedules.js";
import { databaseOperations } from "./databases.js";
import { dnsOperations } from "./dns.js";
import { ipOperations } from "./ip.js";
import { linkOperations } from "./links.js";
import type { Operation } from "./operation.js";
import { relayOperations } from "./relay.js";
import { tempmailOperations } from "./tempmail.js";
import { vpsOperations } from "./vps.js";
import { webhookOperations } from "./webhooks.js";

const operations: readonly Operation[] = [
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

/** Every endpoint of a profile: `documented` has what the specification shows and nothing else. */
export function operationsOf(profile: Profile): readonly Operation[] {
  return profile === "documented" ? operations.filter(({ basis }) => basis === "documented") : operations;
}
