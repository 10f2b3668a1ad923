import { NotFoundError, RouteMissingError, ServerError } from "../core/errors.js";
import { listPromise } from "../core/pages.js";
import type { Readiness } from "../core/poll-target.js";
import { Poller } from "../core/poller.js";
import { BACKGROUND_WORK } from "../core/shared-poller.js";
import { FakeClock } from "./fake-clock.js";

export interface Thing {
  readonly id: string;
  readonly status?: string;
  readonly statusReason?: string;
  readonly address?: string;
}

const notFound = () => new NotFoundError({ message: "404", outcome: "rejected", status: 404 });
export const failing = () => new ServerError({ message: "500 again", outcome: "ambiguous", status: 500 });

export const judge = ({ status, address }: Thing): Readiness => {
  if (status === undefined) return "incomplete";
  if (status === "failed") return "failed";
  if (status !== "ready") return "pending";
  return address === undefined ? "incomplete" : "ready";
};

/** Things that become ready at a set time. Their list may leave out addresses, or be missing. */
export function world({
  list = "full",
}: {
  list?: "full" | "without addresses" | "ids only" | "missing";
} = {}) {
  const clock = new FakeClock();
  const readyAt = new Map<string, number>();
  const requests: string[] = [];
  let trouble: (() => Error) | undefined;
  const poll = (id: string): Thing => {
    const at = readyAt.get(id);
    if (at === undefined) throw notFound();
    return clock.now() >= at ? { id, status: "ready", address: "a" } : { id, status: "provisioning" };
  };
  const poller = new Poller<Thing>(
    {
      ...BACKGROUND_WORK,
      noun: "thing",
      path: (id) => `/things/${id}`,
      deletion: (id) => `await client.things.delete("${id}")`,
      get: async (id) => {
        requests.push(id);
        if (trouble !== undefined) throw trouble();
        return poll(id);
      },
      list: () =>
        listPromise(
          async () => {
            requests.push("list");
            if (trouble !== undefined) throw trouble();
            if (list === "missing")
              throw new RouteMissingError({ message: "404", outcome: "rejected", status: 404 });
            const items = [...readyAt.keys()].map(poll);
            const shown = items.map(({ id, ...rest }): Thing => {
              if (list === "full") return { id, ...rest };
              return list === "ids only" || rest.status === undefined ? { id } : { id, status: rest.status };
            });
            return { items: shown, paging: { has_more: false }, meta: {}, status: 200, headers: {} };
          },
          { call: "things.list", method: "GET", path: "/things" },
        ),
    },
    { clock, random: () => 0.5, pollInterval: 1_000 },
  );
  return {
    clock,
    poller,
    readyAt,
    requests,
    breakWith: (error: (() => Error) | undefined) => {
      trouble = error;
    },
  };
}
