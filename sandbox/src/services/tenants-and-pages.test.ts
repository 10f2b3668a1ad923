import { expect, test } from "vitest";
import { aDatabase, apiClientFor, aServer, aWebhook, sandboxFor } from "../../test/api-client.js";
import { operationsOf } from "./operations.js";

const kinds: ReadonlyArray<readonly [path: string, body: object]> = [
  ["/shortener/links", { url: "https://example.com" }],
  ["/databases", aDatabase],
  ["/vps/instances", aServer],
  ["/tempmail/inboxes", {}],
  ["/webhooks", aWebhook],
];

test.each(kinds)("%s: another tenant gets a 404 from every operation", async (path, body) => {
  const sandbox = await sandboxFor();
  const { id } = await apiClientFor(sandbox)("POST", path, body);
  const stranger = apiClientFor(sandbox, "sandbox_stranger");
  const item = `${path.slice(1)}/`;
  const onOne = operationsOf("conventional").filter((each) => each.path.startsWith(`/${item}:`));
  expect(onOne.length).toBeGreaterThan(1);
  const bodies: Readonly<Record<string, unknown>> = {
    putBackupSchedule: { frequency: "daily", hour_utc: 3, retention_days: 7 },
    actOnVps: { action: "stop" },
    updateLink: {},
    updateDatabase: {},
    updateVps: {},
    updateWebhook: {},
  };
  for (const operation of onOne) {
    const reply = await stranger(operation.method, operation.path.replace(/:\w+/, id), bodies[operation.id]);
    expect(reply, operation.id).toMatchObject({ status: 404, error: { code: "RESOURCE_NOT_FOUND" } });
  }
  expect(await stranger("GET", path)).toMatchObject({ data: [], meta: { total_count: 0 } });
});

test.each(kinds)(
  "%s: pages have no gap and no repetition when items are deleted meanwhile",
  async (path, body) => {
    const call = apiClientFor(await sandboxFor({ summaryLists: true }));
    const ids: string[] = [];
    for (let made = 0; made < 7; made++) ids.push((await call("POST", path, body)).id);
    const first = await call("GET", `${path}?limit=3`);
    expect(first.data).toEqual(ids.slice(0, 3).map((id) => expect.objectContaining(idOf(path, id))));
    expect(first.meta).toMatchObject({ has_more: true, next_cursor: ids[2], total_count: 7 });
    await call("DELETE", `${path}/${ids[2]}`);
    const rest = await call("GET", `${path}?limit=100&starting_after=${ids[2]}`);
    expect(rest.data).toEqual(ids.slice(3).map((id) => expect.objectContaining(idOf(path, id))));
    expect(rest.meta).toMatchObject({ has_more: false, next_cursor: null, total_count: 6 });
  },
);

function idOf(path: string, id: string): object {
  return path === "/tempmail/inboxes" ? { inbox_id: id } : { id };
}

test("a page has twenty items by default", async () => {
  const call = apiClientFor(await sandboxFor());
  for (let made = 0; made < 21; made++) await call("POST", "/webhooks", aWebhook);
  const page = await call("GET", "/webhooks");
  expect(page.data).toHaveLength(20);
  expect(page.meta).toMatchObject({ has_more: true, total_count: 21 });
});
