import type { OutgoingRequest, RawResponse } from "../core/request.js";

/** Returns a request for tests of one pipeline step. */
export function aRequest(changes: Partial<OutgoingRequest> = {}): OutgoingRequest {
  return {
    method: "GET",
    origin: "https://api.example.com",
    target: "/v1/databases/db_1",
    path: "/databases/db_1",
    headers: {},
    accept: "json",
    largestBody: 4_194_304,
    idempotent: true,
    arrival: 1,
    timeout: 60_000,
    deadline: 600_000,
    deadlineAt: 600_000,
    maxRetries: 3,
    ...changes,
  };
}

export function aPost(changes: Partial<OutgoingRequest> = {}): OutgoingRequest {
  return aRequest({
    method: "POST",
    target: "/v1/databases",
    path: "/databases",
    idempotent: false,
    ...changes,
  });
}

export function aResponse(status: number, body: unknown, headers: RawResponse["headers"] = {}): RawResponse {
  return { status, headers, body: typeof body === "string" ? body : JSON.stringify(body) };
}
