import type { Planted, ProxiedRequest, Strike } from "../service/service.js";
import type { Fault, SeenRequest } from "./fault.js";
import { isRecord } from "./strike.js";

export function deletedOutside(seen: SeenRequest): Fault[] {
  const id = /\/([a-z]+_[A-Za-z0-9]+)/.exec(seen.target)?.[1];
  if (id === undefined) return [];
  const target = (request: ProxiedRequest) => /\/([a-z]+_[A-Za-z0-9]+)/.exec(request.path)?.[1] ?? "";
  return [
    {
      name: "deleted-behind",
      class: "drift",
      span: "once",
      when: "before",
      strike: async (request) => {
        await request.sandbox.remove(target(request)).catch(() => undefined);
        request.send(await request.forward());
      },
    },
  ];
}

/** For each route that creates: the fields in which the other owner's resource is like ours, and those that differ. */
const rivalry: Readonly<Record<string, Omit<Planted, "fields"> & { other: Planted["fields"] }>> = {
  "/shortener/links": { kind: "Link", like: ["url"], other: { title: "Theirs" } },
  // The service does not return the plan, so the rival has to differ in another field as well.
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

/** Removes the suffix of a derived name, which no other owner would choose. */
const withoutHash = (value: unknown): unknown =>
  typeof value === "string" ? value.replace(/-[a-z0-9]{7}$/, "") : value;

/** Another owner creates almost the same resource at the same moment. */
export function rivals({ method, route, requestBody }: SeenRequest): Fault[] {
  const rival = method === "POST" ? rivalry[route] : undefined;
  if (rival === undefined || !isRecord(requestBody)) return [];
  const { kind, like, other } = rival;
  const alike = like.filter((field) => requestBody[field] !== undefined);
  const plant = (request: ProxiedRequest) =>
    request.plant({
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
    fault("before", "before", async (request) => {
      await plant(request);
      request.send(await request.forward());
    }),
    fault("and-lost-before", "before", async (request) => {
      await plant(request);
      request.reset();
    }),
    fault("and-lost-after", "after", async (request) => {
      await request.forward();
      await plant(request);
      request.reset();
    }),
  ];
}
