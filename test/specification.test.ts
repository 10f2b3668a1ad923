import type { JournalEntry } from "cloudservices-sandbox";
import { describe, expect, it } from "vitest";
import { beyondSpecification } from "./support/specification.js";

const entry = (method: string, path: string, more: Partial<JournalEntry> = {}): JournalEntry => ({
  requestId: "req_1",
  time: "2027-01-01T00:00:00Z",
  method,
  path,
  query: {},
  durationMs: 1,
  ...more,
});

describe("what the specification does not show", () => {
  it("is found by request, by query and by field", () => {
    const entries = [
      entry("GET", "/shortener/links", { query: { limit: "1", page: "2" } }),
      entry("GET", "/shortener/links/link_1"),
      entry("DELETE", "/databases/db_1"),
      entry("POST", "/databases", { requestBody: { name: "orders", size: 3 } }),
      entry("PUT", "/databases/db_1/backup-schedule", { requestBody: { hour_utc: 3 } }),
      entry("GET", "/databases/db_1/backup-schedule"),
    ];
    expect(beyondSpecification(entries)).toEqual([
      "GET /shortener/links: page",
      "GET /shortener/links/link_1",
      "DELETE /databases/db_1",
      "POST /databases: size",
      "GET /databases/db_1/backup-schedule",
    ]);
  });
});
