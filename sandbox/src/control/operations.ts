import { z } from "zod";
import { errorCodes } from "../core/errors.js";
import { environmentOperations } from "./environment-operations.js";
import {
  type ControlOperation,
  controlOperation,
  done,
  noBody,
  noParameters,
  tenantQuery,
} from "./operation.js";
import { DEFAULT_WAIT_MS, MAX_WAIT_MS } from "./request-wait.js";
import { resourceOperations } from "./resource-operations.js";
import * as responses from "./responses.js";

const requestQuery = tenantQuery.extend({
  method: z.string().exactOptional(),
  path: z.string().exactOptional().meta({ description: "The beginning of the path." }),
  status: z.coerce.number().int().exactOptional(),
});
const journalQuery = requestQuery.extend({
  limit: z.coerce.number().int().min(1).default(10_000),
});

const waitQuery = requestQuery.extend({
  after: z.string().exactOptional().meta({ description: "The request id of an earlier entry." }),
  timeoutMs: z.coerce.number().int().min(0).max(MAX_WAIT_MS).default(DEFAULT_WAIT_MS),
});

/** All HTTP operations of control, below `/_sandbox`. */
export const controlOperations: readonly ControlOperation[] = [
  controlOperation({
    id: "listControl",
    summary: "What control offers",
    method: "GET",
    path: "/",
    query: noParameters,
    body: noBody,
    response: z.array(z.string()),
    handle: () => index(),
  }),
  controlOperation({
    id: "listJournal",
    summary: "List the requests to the API, oldest first",
    method: "GET",
    path: "/journal",
    query: journalQuery,
    body: noBody,
    response: z.array(responses.journalEntry),
    handle: ({ control, query }) => control.journal(query),
  }),
  controlOperation({
    id: "waitForRequest",
    summary: "Wait for a request to the API; 404 if none matches in time",
    method: "GET",
    path: "/journal/wait",
    query: waitQuery,
    body: noBody,
    response: responses.journalEntry,
    handle: ({ control, left, query: { after, timeoutMs, ...filter } }) =>
      control.waitForRequest(filter, { timeoutMs, signal: left, ...(after !== undefined && { after }) }),
  }),
  controlOperation({
    id: "listUnmatchedRequests",
    summary: "List the requests that matched no endpoint, oldest first",
    method: "GET",
    path: "/journal/unmatched",
    query: tenantQuery,
    body: noBody,
    response: z.array(responses.journalEntry),
    handle: ({ control, query }) => control.unmatchedRequests(query.tenant),
  }),
  controlOperation({
    id: "clearJournal",
    summary: "Empty the journal",
    method: "DELETE",
    path: "/journal",
    query: tenantQuery,
    body: noBody,
    response: done,
    handle: ({ control, query }) => control.clearJournal(query.tenant),
  }),
  controlOperation({
    id: "reset",
    summary: "Remove the resources of one tenant, or everything",
    method: "POST",
    path: "/reset",
    query: tenantQuery,
    body: noBody,
    response: done,
    handle: ({ control, query }) => control.reset(query.tenant),
  }),
  controlOperation({
    id: "listErrors",
    summary: "What the error codes mean",
    method: "GET",
    path: "/errors",
    query: noParameters,
    body: noBody,
    response: z.record(z.string(), responses.errorCode),
    handle: () => errorCodes,
  }),
  ...resourceOperations,
  ...environmentOperations,
];

/** Lists the operations as `POST /_sandbox/snapshots/:id/restore`. */
function index(): string[] {
  return controlOperations
    .filter(({ path }) => path !== "/")
    .map(({ method, path }) => `${method} /_sandbox${path}`)
    .sort();
}
