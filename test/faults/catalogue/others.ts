import type { Hop, Planted, Strike } from "../service/service.js";
import type { Fault, Seen } from "./fault.js";
import { isRecord } from "./strike.js";

export function behindOurBack(seen: Seen): Fault[] {
  const id = /\/([a-z]+_[A-Za-z0-9]+)/.exec(seen.target)?.[1];
  if (id === undefined) return [];
  const target = (hop: Hop) => /\/([a-z]+_[A-Za-z0-9]+)/.exec(hop.path)?.[1] ?? "";
  return [
    {
      name: "deleted-behind",
      class: "drift",
      span: "once",
      when: "before",
      strike: async (hop) => {
        await hop.sandbox.remove(target(hop)).catch(() => undefined);
        hop.send(await hop.forward());
      },
    },
  ];
}

/** By the route that creates it: in which fields somebody else's resource is like ours, and in which it differs. */
const rivalry: Readonly<Record<string, Omit<Planted, "fields"> & { other: Planted["fields"] }>> = {
  "/shortener/links": { kind: "Link", like: ["url"], other: { title: "Theirs" } },
  // The service does not return the plan: a rival that differs in nothing else could not be told from ours.
  "/databases": { kind: "Database", like: ["name", "engine", "plan", "region"], other: { version: "16" } },
  "/vps/instances": {
    kind: "VpsInstance",
    like: ["name", "region", "image"],
    other: { plan: "vps-standard-2" },
  },
  "/tempmail/inboxes": { kind: "Inbox", like: ["prefix"], other: { ttl_minutes: 1_440 } },
  "/webhooks": {
    kind: "Webhook",
    like: ["url"],
    other: { events: ["vps.snapshot.completed"], secret: "a-foreign-secret" },
  },
};

/** Nobody else chooses a name that is derived for one resource of one stack. */
const withoutHash = (value: unknown): unknown =>
  typeof value === "string" ? value.replace(/-[a-z0-9]{7}$/, "") : value;

/** Somebody else creates what is almost the same, at the same moment. */
export function rivals({ method, route, requestBody }: Seen): Fault[] {
  const rival = method === "POST" ? rivalry[route] : undefined;
  if (rival === undefined || !isRecord(requestBody)) return [];
  const { kind, like, other } = rival;
  const alike = like.filter((field) => requestBody[field] !== undefined);
  const plant = (hop: Hop) =>
    hop.plant({
      kind,
      like: alike,
      fields: {
        ...Object.fromEntries(alike.map((field) => [field, withoutHash(requestBody[field])])),
        ...other,
      },
    });
  const fault = (name: string, when: Fault["when"], strike: Strike): Fault => ({
    name: `rival-${name}`,
    class: "rival",
    span: "once",
    when,
    strike,
  });
  return [
    fault("before", "before", async (hop) => {
      await plant(hop);
      hop.send(await hop.forward());
    }),
    fault("and-lost-before", "before", async (hop) => {
      await plant(hop);
      hop.reset();
    }),
    fault("and-lost-after", "after", async (hop) => {
      await hop.forward();
      await plant(hop);
      hop.reset();
    }),
  ];
}
