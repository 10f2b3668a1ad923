export type { DeliveryRecord, SandboxControl } from "./control/control.js";
export type { ActiveFault, Fault } from "./control/faults.js";
export type { JournalEntry, JournalFilter } from "./control/journal.js";
export type { Progression, ProgressionKind } from "./control/progressions.js";
export type { LiveResource, ResourceKind } from "./control/resources.js";
export type { Mail } from "./mail/mail.js";
export type { ZoneRecord } from "./mail/zone.js";
export type { SandboxOptions } from "./options.js";
export { type Sandbox, startSandbox } from "./sandbox.js";
