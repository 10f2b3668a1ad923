import { createServer } from "node:http";
import { type ListedLink, NotFoundError, PagingError, ServerError } from "cloudservices-sdk";
import { expect, it } from "vitest";
import { clientOfServer } from "../../test-support/client-of-server.js";
import type { Kind } from "../definition/kind.js";
import { BatchReader } from "./batch-reader.js";
import { Pages } from "./pages.js";

const kind: Kind<Record<never, never>, ListedLink> = {
  name: "Link",
  inputs: {},
  outputs: {},
  timeouts: { create: 1_000, update: 1_000, delete: 1_000 },
  id: ({ id }) => id,
  create: () => Promise.reject(new Error("Nothing is created here.")),
  read: (api, id) => api.links.get(id),
  list: (api, page) => api.links.list(page),
};

interface Wire {
  readonly status?: number;
  readonly ids?: readonly string[];
  readonly meta?: object;
}

/** A service that has only links; `listed` returns its response to a listing, or `undefined` for the correct one. */
async function open(
  alive: readonly string[],
  listed: (after: string | null, count: number) => Wire | undefined = () => undefined,
) {
  const links = new Set(alive);
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://service.test");
    const id = /links\/(.+)$/.exec(pathname)?.[1];
    requests.push(id ?? `after ${searchParams.get("starting_after") ?? "nothing"}`);
    const send = (status: number, body: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    const data = (each: string) => ({ id: each, destination_url: "https://example.com/" });
    if (id !== undefined && links.has(id)) return send(200, { status: "success", data: data(id) });
    if (id !== undefined)
      return send(404, { status: "error", error: { code: "RESOURCE_NOT_FOUND", message: "There is none." } });
    const given = listed(searchParams.get("starting_after"), requests.length);
    if (given?.status !== undefined)
      return send(given.status, {
        status: "error",
        error: { code: "INTERNAL", message: "No list today." },
      });
    const all = [...links];
    const from = all.indexOf(searchParams.get("starting_after") ?? "") + 1;
    const page = given?.ids ?? all.slice(from, from + 100);
    const meta = { has_more: from + 100 < all.length, total_count: all.length, ...given?.meta };
    return send(200, { status: "success", data: page.map(data), meta });
  });
  const api = await clientOfServer(server);
  const clock = { time: 0, now: () => clock.time };
  return {
    reader: new BatchReader(kind, api, new Pages((page) => api.links.list(page)), clock),
    links,
    requests,
    clock,
  };
}

const numbered = (count: number) => Array.from({ length: count }, (_, number) => `link_${number}`);

it("finds a resource that was created after a complete listing", async () => {
  const { reader, links } = await open(["link_a"]);
  expect(await reader.findInList("link_a")).toMatchObject({ id: "link_a" });
  links.add("link_b");
  expect(await reader.findInList("link_b")).toMatchObject({ id: "link_b" });
  links.delete("link_b");
  reader.forget("link_b");
  expect(await reader.findInList("link_b")).toBeUndefined();
});

it("lists again when a listing is stale", async () => {
  const { reader, clock } = await open(numbered(150));
  expect(await reader.findInList("link_149")).toBeDefined();
  clock.time += 61_000;
  expect(await reader.findInList("link_0")).toBeDefined();
  expect(await reader.findInList("link_149")).toBeDefined();
});

it("finds everything even if pages arrive slower than they go stale", async () => {
  const { reader, clock } = await open(numbered(250), () => {
    clock.time += 40_000;
    return undefined;
  });
  for (const id of ["link_249", "link_0", "link_120", "link_249"])
    expect(await reader.findInList(id), id).toBeDefined();
});

it("shares one listing among all searches that began before it", async () => {
  const { reader, requests } = await open(numbered(150));
  const asked = ["link_1", "link_149", "link_x", "link_y"].map((id) => reader.findInList(id));
  expect((await Promise.all(asked)).map((found) => found?.id)).toEqual([
    "link_1",
    "link_149",
    undefined,
    undefined,
  ]);
  expect(requests).toEqual(["after nothing", "after link_99"]);
});

it.each([
  ["leads round in a circle", { ids: ["link_0"], meta: { has_more: true, total_count: 200 } }],
  ["announces more and shows no way to it", { ids: [], meta: { has_more: true, total_count: 200 } }],
])("does not prove absence with a list that %s", async (_, wire) => {
  const { reader } = await open(numbered(3), () => wire);
  await expect(reader.findInList("link_2")).rejects.toThrow(PagingError);
  await expect(reader.findInList("link_2")).rejects.toThrow(PagingError);
  expect(await reader.read("link_2")).toMatchObject({ id: "link_2" });
});

it("reports a failed listing to all waiting searches, and lists again for later ones", async () => {
  const { reader, requests } = await open(numbered(3), (_, count) =>
    count === 1 ? { status: 500 } : undefined,
  );
  const asked = await Promise.allSettled(["link_0", "link_1", "link_2"].map((id) => reader.findInList(id)));
  expect(asked).toEqual(Array(3).fill({ status: "rejected", reason: expect.any(ServerError) }));
  expect(requests).toHaveLength(1);
  expect(await reader.findInList("link_2")).toBeDefined();
});

it("reads one by one once a listing has failed", async () => {
  const { reader, requests } = await open(numbered(10), () => ({ status: 403 }));
  for (const id of numbered(10)) expect(await reader.read(id)).toMatchObject({ id });
  expect(requests).toEqual(["after nothing", ...numbered(10)]);
  await expect(reader.read("link_x")).rejects.toThrow(NotFoundError);
});

it("reads 1,000 resources in at most 14 requests", async () => {
  const { reader, requests } = await open(numbered(1_000));
  await Promise.all(numbered(1_000).map((id) => reader.read(id)));
  expect(requests.length).toBeLessThanOrEqual(14);
});

it("takes no more requests than single reads when the account has many other resources", async () => {
  const { reader, requests } = await open(numbered(50_000));
  for (let number = 0; number < 10; number++) await reader.read(`link_${49_000 + number}`);
  expect(requests.length).toBeLessThanOrEqual(12);
});

it("treats a page that was in flight during a write as stale", async () => {
  const { reader, requests } = await open(numbered(2), () => {
    reader.forget("link_1");
    return undefined;
  });
  await reader.read("link_1");
  expect(requests).toEqual(["after nothing", "link_1"]);
});

it("lists without a limit when the service rejects ours", async () => {
  const refusedOnce = (_after: string | null, count: number) => (count === 1 ? { status: 400 } : undefined);
  const { reader, requests } = await open(["link_a"], refusedOnce);
  expect(await reader.findInList("link_a")).toMatchObject({ id: "link_a" });
  expect(await reader.findInList("link_b")).toBeUndefined();
  expect(requests).toEqual(["after nothing", "after nothing", "after nothing"]);
});
