import type { Strike } from "../service/service.js";
import type { Fault, Seen } from "./fault.js";
import { changed, isRecord } from "./strike.js";

export function staleness(seen: Seen): Fault[] {
  if (seen.method === "GET")
    return [1, 2].map((commits) => ({
      name: `stale-${commits}`,
      class: "stale",
      span: "once",
      when: "instead",
      strike: async (hop) => {
        hop.sandbox.faults.add({ kind: "stale", count: 1, commits });
        hop.send(await hop.forward());
      },
    }));
  // A refresh looks five times, within 10 seconds, for what no earlier one has found.
  return [1, 3, 4].map((reads) => ({
    name: `stale-next-${reads}`,
    class: "stale",
    span: "once",
    when: "after",
    strike: async (hop) => {
      const answer = await hop.forward();
      hop.sandbox.faults.add({ kind: "stale", count: reads, commits: 1 });
      hop.send(answer);
    },
  }));
}

export function lists(seen: Seen): Fault[] {
  const body = seen.answer?.body;
  if (seen.method !== "GET" || !isRecord(body) || !Array.isArray(body["data"])) return [];
  const list = (name: string, change: (items: readonly unknown[]) => unknown[]): Fault[] =>
    (["once", "every"] as const).map((span) => ({
      name: `list-${name}`,
      class: "list",
      span,
      when: "instead",
      strike: changed((answer) =>
        isRecord(answer) && Array.isArray(answer["data"])
          ? { ...answer, data: change(answer["data"]) }
          : answer,
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
      strike: async (hop) => {
        if (hop.method === "GET") hop.target = hop.target.replace(/limit=\d+/, "limit=1");
        hop.send(await hop.forward());
      },
    },
    {
      name: "list-shifts",
      class: "list",
      span: "rest",
      when: "instead",
      strike: async (hop) => {
        if (hop.method === "GET" && hop.target.includes("limit=")) {
          hop.target = hop.target.replace(/limit=\d+/, "limit=1");
          await hop.plant({ kind: "Link", like: [], fields: { url: "https://example.com/another" } });
        }
        hop.send(await hop.forward());
      },
    },
  ];
}

/** A service that gives one item a page, whatever it is asked for. */
export function paging(): Fault[] {
  const strike: Strike = async (hop) => {
    if (hop.method === "GET") hop.target = hop.target.replace(/limit=\d+/, "limit=1");
    hop.send(await hop.forward());
  };
  return [{ name: "pages-of-one", class: "list", span: "always", when: "instead", strike }];
}
