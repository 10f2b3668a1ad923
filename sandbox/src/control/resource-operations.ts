import { once } from "node:events";
import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { z } from "zod";
import { progressionKinds, progressionSchema } from "../core/progressions.js";
import { maskSecrets } from "../http/journal.js";
import { controlOperation, done, noBody, noParameters, tenantQuery } from "./operation.js";
import { ControlError } from "./resources.js";
import * as responses from "./responses.js";
import { seedSchema } from "./seed.js";
import { temporaryFile } from "./temporary-file.js";

const resourcesQuery = tenantQuery.extend({ masked: z.string().exactOptional() });
const backupsQuery = tenantQuery.extend({ database: z.string().exactOptional() });
const restoreBody = z.strictObject({ into: z.string().exactOptional() }).prefault({});
const progressBody = z.strictObject({
  kind: z.enum(progressionKinds),
  progression: progressionSchema,
  next: z.int().min(1).exactOptional(),
  tenant: z.string().min(1).exactOptional(),
});
const SNAPSHOT_NAME = "[\\w.-]+";

/** Operations on resources, their backups, and snapshots of all state. */
export const resourceOperations = [
  controlOperation({
    id: "listResources",
    summary: "List live resources",
    method: "GET",
    path: "/resources",
    query: resourcesQuery,
    body: noBody,
    response: z.array(responses.resource),
    handle({ control, query }) {
      const resources = control.resources(query.tenant);
      return query.masked === "true" ? maskSecrets(resources) : resources;
    },
  }),
  controlOperation({
    id: "changeResource",
    summary: "Change a resource behind the API",
    method: "PATCH",
    path: "/resources/:id",
    query: noParameters,
    body: z.record(z.string(), z.unknown()),
    response: responses.resource,
    handle: ({ control, id, body }) => control.change(id, body),
  }),
  controlOperation({
    id: "removeResource",
    summary: "Delete a resource behind the API",
    method: "DELETE",
    path: "/resources/:id",
    query: noParameters,
    body: noBody,
    response: done,
    handle: ({ control, id }) => control.remove(id),
  }),
  controlOperation({
    id: "listInboxMessages",
    summary: "List the messages of an inbox, newest first",
    method: "GET",
    path: "/inboxes/:id/messages",
    query: noParameters,
    body: noBody,
    response: z.array(responses.message),
    handle: ({ store, id }) =>
      store.tables.messages
        .find("inbox", id)
        .sort((a, b) => b.seq - a.seq)
        .map(({ raw: _raw, ...shown }) => shown),
  }),
  controlOperation({
    id: "getRawMessage",
    summary: "Download a mail as it was received",
    method: "GET",
    path: "/messages/:id/raw",
    query: noParameters,
    body: noBody,
    response: z.string(),
    contentType: "message/rfc822",
    handle: ({ control, id }) => control.rawMessage(id),
  }),
  controlOperation({
    id: "listAttachments",
    summary: "List the attachments of a mail, with their content in Base64",
    method: "GET",
    path: "/messages/:id/attachments",
    query: noParameters,
    body: noBody,
    response: z.array(responses.attachment),
    handle: async ({ control, id }) =>
      (await control.attachments(id)).map(({ content, ...shown }) => ({
        ...shown,
        bytes: content.length,
        content: Buffer.from(content).toString("base64"),
      })),
  }),
  controlOperation({
    id: "seed",
    summary: "Create resources, ready at once",
    method: "POST",
    path: "/seed",
    query: noParameters,
    body: seedSchema,
    response: z.array(responses.resource),
    handle: ({ control, body }) => control.seed(body),
  }),
  controlOperation({
    id: "exportState",
    summary: "Download all state, with the content of real databases, as one file",
    method: "GET",
    path: "/state",
    query: noParameters,
    body: noBody,
    response: z.string(),
    contentType: "application/gzip",
    async handle({ control }) {
      const file = temporaryFile();
      await control.exportState(file);
      // The stream keeps what it reads, although the file has no name any more.
      const stream = createReadStream(file);
      await once(stream, "open");
      await rm(file);
      return stream;
    },
  }),
  controlOperation({
    id: "importState",
    summary: "Load a downloaded state into an empty sandbox",
    method: "PUT",
    path: "/state",
    query: noParameters,
    body: z.string(),
    bodyType: "application/gzip",
    response: done,
    handle: ({ control, body }) => control.importState(body),
  }),
  controlOperation({
    id: "listSnapshots",
    summary: "List the names of snapshots",
    method: "GET",
    path: "/snapshots",
    query: noParameters,
    body: noBody,
    response: z.array(z.string()),
    handle: ({ control }) => control.snapshots.names(),
  }),
  controlOperation({
    id: "takeSnapshot",
    summary: "Take a snapshot",
    method: "PUT",
    path: "/snapshots/:id",
    idPattern: SNAPSHOT_NAME,
    query: noParameters,
    body: noBody,
    response: done,
    handle: ({ control, id }) => control.snapshots.take(id),
  }),
  controlOperation({
    id: "restoreSnapshot",
    summary: "Restore a snapshot",
    method: "POST",
    path: "/snapshots/:id/restore",
    idPattern: SNAPSHOT_NAME,
    query: noParameters,
    body: noBody,
    response: done,
    handle: ({ control, id }) => control.snapshots.restore(id),
  }),
  controlOperation({
    id: "listBackups",
    summary: "List backups of databases, oldest first",
    method: "GET",
    path: "/backups",
    query: backupsQuery,
    body: noBody,
    response: z.array(responses.backup),
    handle: ({ control, query }) => control.backups(query),
  }),
  controlOperation({
    id: "restoreBackup",
    summary: "Restore a backup into a database",
    method: "POST",
    path: "/backups/:id/restore",
    query: noParameters,
    body: restoreBody,
    response: done,
    handle: ({ control, id, body }) => control.restoreBackup(id, body),
  }),
  controlOperation({
    id: "getDump",
    summary: "Download the dump of a backup",
    method: "GET",
    path: "/backups/:id/dump",
    query: noParameters,
    body: noBody,
    response: z.string(),
    contentType: "application/sql; charset=utf-8",
    handle({ control, id }) {
      const dump = control.backups().find(({ backup_id }) => backup_id === id)?.dump;
      if (dump === undefined) throw new ControlError(404, `There is no dump of a backup "${id}".`);
      return dump;
    },
  }),
  controlOperation({
    id: "setProgression",
    summary: "Set how resources reach their next state",
    method: "PUT",
    path: "/progression",
    query: noParameters,
    body: progressBody,
    response: done,
    handle: ({ control, body: { kind, progression, ...only } }) => control.progress(kind, progression, only),
  }),
];
