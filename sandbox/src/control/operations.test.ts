import { expect, test } from "vitest";
import { z } from "zod";
import { aDatabase, apiClientFor, aServer, aWebhook, sandboxFor } from "../../test/api-client.js";
import { messageList } from "../../test/mail.js";
import { controlOperations } from "./operations.js";

const document = z.object({
  openapi: z.literal("3.1.0"),
  paths: z.record(z.string(), z.record(z.string(), z.object({ operationId: z.string() }))),
});

test("the OpenAPI document of control lists every operation", async () => {
  const sandbox = await sandboxFor();
  const { paths } = document.parse(await (await fetch(`${sandbox.url}/_sandbox/openapi.json`)).json());
  const listed = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId }]) => `${operationId} ${method} ${path}`),
  );
  const expected = controlOperations.map(
    ({ id, method, path }) => `${id} ${method.toLowerCase()} ${path.replace(":id", "{id}")}`,
  );
  expect(listed.sort()).toEqual(expected.sort());
  expect(new Set(controlOperations.map(({ id }) => id)).size).toBe(controlOperations.length);
});

test("responses are as the operations describe them", async () => {
  const sandbox = await sandboxFor({ provisioning: { databaseMs: 0 } });
  const call = apiClientFor(sandbox);
  const { id: database } = await call("POST", "/databases", aDatabase);
  await call("PUT", `/databases/${database}/backup-schedule`, {
    ...{ frequency: "daily", hour_utc: 3, retention_days: 7 },
  });
  await call("POST", "/vps/instances", aServer);
  await call("POST", "/webhooks", { ...aWebhook, url: "http://127.0.0.1:1/" });
  sandbox.emit("local", "vps.snapshot.completed", {});
  sandbox.faults.add({ kind: "drop", when: "before", route: "/nowhere" });
  await sandbox.clock.advance(86_400_000);
  const { id: inbox, data } = await call("POST", "/tempmail/inboxes", {});
  const to = z.object({ email_address: z.string() }).parse(data).email_address;
  await sandbox.sendMail({ to, attachments: [{ filename: "a.txt", content: "a" }] });
  const [message] = messageList.parse((await call("GET", `/tempmail/inboxes/${inbox}/messages`)).data);
  await call("GET", "/nowhere");
  await sandbox.snapshots.take("one");
  const shown = controlOperations.filter(({ method, contentType }) => method === "GET" && !contentType);
  for (const { path, response } of shown) {
    const found = await fetch(
      `${sandbox.url}/_sandbox${path.replace(":id", path.startsWith("/messages") ? (message?.id ?? "") : inbox)}`,
    );
    const body: unknown = await found.json();
    expect(response.safeParse(body).error, path).toBeUndefined();
    expect(body, path).not.toEqual([]);
  }
});
