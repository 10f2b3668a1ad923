import type { Strike } from "../service/service.js";
import type { Fault, SeenRequest } from "./fault.js";
import { isRecord, withBody } from "./strike.js";

export function staleness(seen: SeenRequest): Fault[] {
  if (seen.method === "GET")
    return [1, 2].map((commits) => ({
      name: `stale-${commits}`,
      class: "stale",
      span: "once",
      when: "instead",
      strike: async (request) => {
        request.sandbox.faults.add({ kind: "stale", count: 1, commits });
        request.send(await request.forward());
      },
    }));
  // A refresh reads a resource five times within 10 seconds, if no earlier refresh has found it.
  return [1, 3, 4].map((reads) => ({
    name: `stale-next-${reads}`,
    class: "stale",
    span: "once",
    when: "after",
    strike: async (request) => {
      const response = await request.forward();
      request.sandbox.faults.add({ kind: "stale", count: reads, commits: 1 });
      request.send(response);
    },
  }));
}

export function lists(seen: SeenRequest): Fault[] {
  const body = seen.response?.body;
  if (seen.method !== "GET" || !isRecord(body) || !Array.isArray(body["data"])) return [];
  const list = (name: string, change: (items: readonly unknown[]) => unknown[]): Fault[] =>
    (["once", "every"] as const).map((span) => ({
      name: `list-${name}`,
      class: "list",
      span,
      when: "instead",
      strike: withBody((envelope) =>
        isRecord(envelope) && Array.isArray(envelope["data"])
          ? { ...envelope, data: change(envelope["data"]) }
          : envelope,
      ),
    }));
  return [
    ...list("omits-newest", (items) => items.slice(1)),
    ...list("omits-all", () => []),
    ...list("repeats", (items) => [...items, ...items]),
    ...list("reversed", (items) => [...items].reverse()),
    {
      name: "list-small-pages",
      class: "list",
      span: "rest",
      when: "instead",
      strike: async (request) => {
        if (request.method === "GET") request.target = request.target.replace(/limit=\d+/, "limit=1");
        request.send(await request.forward());
      },
    },
    {
      name: "list-shifts",
      class: "list",
      span: "rest",
      when: "instead",
      strike: async (request) => {
        if (request.method === "GET" && request.target.includes("limit=")) {
          request.target = request.target.replace(/limit=\d+/, "limit=1");
          await request.plant({ kind: "Link", like: [], fields: { url: "https://example.com/another" } });
        }
        request.send(await request.forward());
      },
    },
  ];
}

/** Returns pages of one item, whatever the limit of the request. */
export function paging(): Fault[] {
  const strike: Strike = async (request) => {
    if (request.method === "GET") request.target = request.target.replace(/limit=\d+/, "limit=1");
    request.send(await request.forward());
  };
  return [{ name: "pages-of-one", class: "list", span: "always", when: "instead", strike }];
}
