import { readFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type ConsumerProject, openConsumerProject } from "./consumer-project.js";
import { root } from "./tarballs.js";

let consumerProject: ConsumerProject;
beforeAll(async () => {
  consumerProject = await openConsumerProject();
}, 300_000);

describe("the installed sdk", () => {
  const use = `
    const client = new CloudServices({ apiKey: "k", baseUrl: "http://127.0.0.1:1/v1", maxRetries: 0 });
    client.links.get("link_1").catch((error) => {
      console.log(JSON.stringify([error instanceof ConnectionError, error.code, error.outcome]));
    });`;

  it("works from ES modules", async () => {
    const source = `import { CloudServices, ConnectionError } from "cloudservices-sdk";${use}`;
    expect(await consumerProject.node("use.mjs", source)).toEqual([true, "CONNECTION_FAILED", "notSent"]);
  });

  it("works from CommonJS", async () => {
    const source = `const { CloudServices, ConnectionError } = require("cloudservices-sdk");${use}`;
    expect(await consumerProject.node("use.cjs", source)).toEqual([true, "CONNECTION_FAILED", "notSent"]);
  });

  it.each([
    ["no module of undici with `fetch`", "fetch,", 0],
    ["undici without it", "", 1],
  ])("loads %s", async (_, option, least) => {
    const source = `
      const { CloudServices } = require("cloudservices-sdk");
      const client = new CloudServices({ apiKey: "k", baseUrl: "http://127.0.0.1:1/v1", maxRetries: 0, ${option} });
      client.links.get("link_1").catch(({ code }) => {
        console.log(JSON.stringify([code, Object.keys(require.cache).filter((path) => path.includes("undici")).length]));
      });`;
    const [code, modules] = z
      .tuple([z.string(), z.number()])
      .parse(await consumerProject.node("modules.cjs", source));
    expect(code).toBe("CONNECTION_FAILED");
    if (least === 0) expect(modules).toBe(0);
    else expect(modules).toBeGreaterThan(0);
  });

  it("recognises the errors of its other module format when a program loads both", async () => {
    const source = `
      import { createRequire } from "node:module";
      import * as esm from "cloudservices-sdk";
      const cjs = createRequire(import.meta.url)("cloudservices-sdk");
      const client = new esm.CloudServices({ apiKey: "k", baseUrl: "http://127.0.0.1:1/v1", maxRetries: 0 });
      client.links.get("link_1").catch((error) => console.log(JSON.stringify([
        cjs.ConnectionError === esm.ConnectionError,
        error instanceof cjs.ConnectionError,
        error instanceof cjs.CloudServicesError,
        error instanceof cjs.NotFoundError,
      ])));`;
    expect(await consumerProject.node("twins.mjs", source)).toEqual([false, true, true, false]);
  });

  const typed = `
    import { CloudServices, type CloudServicesEvent, type Link, NotFoundError, type ReadyDatabase, unlistedEvent, type VpsInstance } from "cloudservices-sdk";
    const client = new CloudServices({ apiKey: async () => "k", baseUrl: "https://api.example.com/v1", logger: console });
    export async function first(): Promise<string | undefined> {
      for await (const link of client.links.list({ limit: 10 })) return link.shortUrl;
      const { data, meta } = await client.links.update("link_1", { title: null }).withResponse();
      const link: Link = data;
      // @ts-expect-error: no such member
      link.shortURL;
      // @ts-expect-error: a region is required
      client.vps.create({ name: "n", plan: "vps-micro-1", image: "debian-12" });
      const server: VpsInstance = await client.vps.create({ name: "n", plan: "a-new-plan", image: "debian-12", region: "eu" });
      return server.specs.ramMb === 1 ? meta.requestId : undefined;
    }
    export async function ready(): Promise<{ uri: string; ip: string; url: string; address: string }> {
      const database: ReadyDatabase = await client.databases.waitUntilReady("db_1");
      const server = await client.vps.waitUntilReady("vps_1");
      const link = await client.links.get("link_1");
      const inbox = await client.mail.createInbox();
      const { connectionUri: notReady } = await client.databases.get("db_1");
      // @ts-expect-error: a database that is not ready may have no address
      const uri: string = notReady;
      for await (const listed of client.links.list()) {
        // @ts-expect-error: the specification does not show the fields of listed links
        const url: string = listed.shortUrl;
      }
      const isNew: boolean = database.status === "a-new-status" || server.status === "running";
      return { uri: database.connectionUri, ip: server.ipv4, url: link.shortUrl, address: inbox.emailAddress };
    }
    export async function subscribe(): Promise<void> {
      const url = "https://example.com/hook";
      await client.webhooks.create({ url, secret: "s", events: ["database.backup.completed", unlistedEvent("vps.created")] });
      // @ts-expect-error: misspelt
      await client.webhooks.create({ url, secret: "s", events: ["database.backup.complete"] });
    }
    export function size(event: CloudServicesEvent): number | undefined {
      return event.type === "database.backup.completed" ? event.data.sizeMb.valueOf() : undefined;
    }
    export const isGone = (error: unknown): boolean => error instanceof NotFoundError && error.isProvenAbsent;`;

  it.each([
    ["ES modules, resolved as Node does", "types.mts", "nodenext", "nodenext"],
    ["CommonJS, resolved as Node does", "types.cts", "nodenext", "nodenext"],
    ["a bundler", "bundled.ts", "esnext", "bundler"],
  ])("provides types for %s", async (_, file, module, resolution) => {
    consumerProject.write({ [file]: typed });
    expect(await consumerProject.compile([file], { module, resolution, skipLibCheck: false })).toBe("");
  });

  it("bundles only the resources that a program uses", async () => {
    const source =
      'import { connect, Links } from "cloudservices-sdk"; export const links = new Links(connect());';
    consumerProject.write({ "links-only.mjs": source });
    const input = join(consumerProject.folder, "links-only.mjs");
    const bundle = await rolldown({ input, external: /^(undici|zod|node:)/, logLevel: "silent" });
    const { output } = await bundle.generate({ format: "esm" });
    await bundle.close();
    const [{ code }] = output;
    expect(code).toContain("/shortener/links");
    for (const other of ["/vps/instances", "/tempmail", "/webhooks", "/utils", "/databases"])
      expect(code).not.toContain(other);
  });

  it("sends its version in the User-Agent header", async () => {
    const { version } = JSON.parse(readFileSync(join(root, "sdk/package.json"), "utf8"));
    const source = `
      import { createServer } from "node:http";
      import { CloudServices } from "cloudservices-sdk";
      const server = createServer((request, response) => {
        console.log(JSON.stringify(request.headers["user-agent"]));
        response.writeHead(404).end();
        server.close();
      }).listen(0, "127.0.0.1", () => {
        const client = new CloudServices({ apiKey: "k", baseUrl: "http://127.0.0.1:" + server.address().port + "/v1" });
        client.links.get("link_1").catch(() => client.close());
      });`;
    expect(await consumerProject.node("version.mjs", source)).toContain(`cloudservices-sdk/${version} `);
  });
});
