import { type Handler, handlerOf } from "./kernel/engine/dynamic.js";
import { backupSchedule } from "./resources/backup-schedule.js";
import { database } from "./resources/database.js";
import { inbox } from "./resources/inbox.js";
import { link } from "./resources/link.js";
import { vpsAction } from "./resources/vps-action.js";
import { vpsInstance } from "./resources/vps-instance.js";
import { webhook } from "./resources/webhook.js";

const known = {
  Link: handlerOf(link),
  Database: handlerOf(database),
  BackupSchedule: handlerOf(backupSchedule),
  VpsInstance: handlerOf(vpsInstance),
  Inbox: handlerOf(inbox),
  Webhook: handlerOf(webhook),
  VpsAction: handlerOf(vpsAction),
} satisfies Readonly<Record<string, Handler>>;

/**
 * The hooks by kind, which the text in every state loads. This export is permanent: a kind may be added, never renamed
 * or removed.
 */
export const handlers: typeof known = new Proxy(known, {
  get(kinds, kind, receiver): unknown {
    // Kinds are capitalised; inspectors and promises look for other properties.
    if (typeof kind === "string" && /^[A-Z]/.test(kind) && !Object.hasOwn(kinds, kind))
      throw unknownKind(kind);
    return Reflect.get(kinds, kind, receiver);
  },
});

/** Returns an error without a stack, which the engine's host would print. */
function unknownKind(kind: string): Error {
  const message =
    `This version of pulumi-cloudservices has no resource kind "${kind}": the resource was declared by a newer version. ` +
    `Upgrade the package in ${process.env["PULUMI_CLOUDSERVICES_FROM"] ?? process.cwd()}.`;
  return Object.assign(new Error(message), { stack: "" });
}
