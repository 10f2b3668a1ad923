import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { openProject } from "../support/project.js";
import { openSandbox, quick } from "../support/test-stack.js";
import { documentOf } from "./document.js";
import { openProxy } from "./proxy.js";

const source = readFileSync(new URL("../../examples/quickstart/index.ts", import.meta.url), "utf8");

/** What is changed in place: a link, a database, its schedule and the webhook. */
const changed = source
  .replace('title: "Home"', 'title: "Start"')
  .replace('"db-starter-1"', '"db-standard-2"')
  .replace("hourUtc: 3", "hourUtc: 4")
  .replace(', "database.backup.failed"', "");

/** What the quickstart cannot do without; which lists are read besides is the provider's affair. */
const used = [
  ...["createLink", "createDatabase", "createVps", "createInbox", "createWebhook", "putBackupSchedule"],
  ...["getDatabase", "getVps", "getBackupSchedule", "listLinks", "listInboxes", "listWebhooks"],
  ...["updateLink", "updateDatabase", "updateWebhook"],
  ...["deleteLink", "deleteDatabase", "deleteVps", "deleteInbox", "deleteWebhook", "deleteBackupSchedule"],
];

it("a whole round of the quickstart is within the contract, request for request", async () => {
  const sandbox = await openSandbox();
  const proxy = await openProxy(sandbox.baseUrl, await documentOf(sandbox.url));
  const project = await openProject({
    files: { "index.ts": source },
    sandbox: { baseUrl: proxy.baseUrl, apiKey: sandbox.apiKey },
    config: {
      ...quick,
      "test:passcode": { secret: "passcode" },
      "test:webhookSecret": { secret: "webhook secret" },
    },
  });
  const pulumi = async (...args: string[]) => {
    const { code, stdout, stderr } = await project.pulumi(args);
    expect(code, stdout + stderr).toBe(0);
    return stdout;
  };

  expect(await pulumi("up", "--yes", "--skip-preview")).toMatch(/\+ 7 created/);
  await pulumi("preview", "--expect-no-changes");
  await pulumi("refresh", "--yes", "--expect-no-changes");
  project.write({ "index.ts": changed });
  expect(await pulumi("up", "--yes", "--skip-preview")).toMatch(/~ 4 updated/);
  await pulumi("destroy", "--yes", "--skip-preview");
  expect(sandbox.resources()).toEqual([]);

  const { exchanges } = proxy;
  expect(exchanges.filter(({ violations }) => violations.length > 0)).toEqual([]);
  // Nothing has reached the service beside the proxy.
  expect(exchanges).toHaveLength(sandbox.journal().length);
  expect(exchanges.map(({ operation }) => operation)).toEqual(expect.arrayContaining(used));
  // What is refused is only the look whether something deleted is gone.
  const refused = exchanges.filter(({ status }) => status >= 400);
  expect(refused.filter(({ method, status }) => method !== "GET" || status !== 404)).toEqual([]);
});
