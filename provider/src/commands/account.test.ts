import { createServer } from "node:http";
import { expect, it } from "vitest";
import { text, webUrl } from "../kernel/definition/fields.js";
import type { Kind } from "../kernel/definition/kind.js";
import { clientOfServer } from "../test-support/client-of-server.js";
import { accountOf, describe } from "./account.js";

interface Remote {
  readonly url: string;
  readonly token: string;
}

const kind: Kind<{ url: string; token: string; pin?: string }, Remote> = {
  name: "Thing",
  inputs: {
    url: { schema: webUrl(), onChange: "update", from: (remote) => remote.url },
    token: { schema: text(), onChange: "update", secret: true, from: (remote) => remote.token },
    pin: { schema: text(), onChange: "update", optional: true, secret: true, from: (remote) => remote.token },
  },
  outputs: {},
  identity: { by: ["url"], matches: () => false },
  timeouts: { create: 1, update: 1, delete: 1 },
  id: () => "thing_1",
  create: (_, inputs) => Promise.resolve(inputs),
  read: () => Promise.reject(new Error("Nothing is read here.")),
  delete: () => Promise.resolve(),
};

it("a secret that the service returns is never described", () => {
  expect(describe(kind, { url: "https://example.com/", token: "canary" })).toEqual({
    kind: "Thing",
    id: "thing_1",
    label: "https://example.com/",
    inputs: { url: "https://example.com/" },
    unread: [{ field: "token", isSecret: true }],
  });
});

it("a URL with credentials comes from the configuration", () => {
  const described = describe(kind, { url: "https://bot:canary@example.com/", token: "x" });
  expect(described?.inputs).toEqual({});
  expect(described?.unread).toEqual([
    { field: "url", isSecret: true },
    { field: "token", isSecret: true },
  ]);
});

/** Opens a service with these lists, which fails all other requests. */
async function open(lists: Readonly<Record<string, readonly object[]>>) {
  const server = createServer((request, response) => {
    const data = lists[new URL(request.url ?? "", "http://service.test").pathname];
    response
      .writeHead(data ? 200 : 403, { "content-type": "application/json" })
      .end(
        JSON.stringify(
          data
            ? { status: "success", data, meta: { has_more: false, total_count: data.length } }
            : { status: "error", error: { code: "FORBIDDEN", message: "no" } },
        ),
      );
  });
  return clientOfServer(server);
}

it("what cannot be listed completely is named, and what depends on it", async () => {
  const api = await open({
    "/v1/shortener/links": [],
    "/v1/vps/instances": [],
    "/v1/webhooks": [
      { url: "https://example.com/", events: ["a.b"] },
      { id: "wh_2", url: "https://example.com/", events: ["a.b"] },
    ],
  });
  const { resources, unlisted } = await accountOf(api, false);
  expect(resources.map(({ id }) => id)).toEqual(["wh_2"]);
  expect(unlisted.map(({ kind }) => kind).sort()).toEqual(["BackupSchedule", "Database", "Inbox", "Webhook"]);
  expect(unlisted.find((one) => one.kind === "Webhook")?.reason).toContain("1 without an id");
});
