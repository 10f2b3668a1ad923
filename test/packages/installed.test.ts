import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { handlers } from "pulumi-cloudservices/dynamic";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { run } from "../../tools/process/run.mjs";
import { openFolder } from "../support/folder.js";
import { openSandbox } from "../support/test-stack.js";
import { startCommand } from "./command.js";
import { type ConsumerProject, openConsumerProject } from "./consumer-project.js";
import { root } from "./tarballs.js";

let consumerProject: ConsumerProject;
beforeAll(async () => {
  consumerProject = await openConsumerProject();
}, 300_000);

describe("the installed packages", () => {
  it("export the handlers that existing states load", async () => {
    const dynamic = 'require(require.resolve("pulumi-cloudservices/dynamic", { paths: ["."] }))';
    expect(
      await consumerProject.node(
        "handlers.cjs",
        `console.log(JSON.stringify(Object.keys(${dynamic}.handlers)))`,
      ),
    ).toEqual(Object.keys(handlers));
  });

  const exported =
    "console.log(JSON.stringify([Link, Database, events, CloudServices].map((it) => typeof it)));";

  it.each([
    ["import", "use.mjs", (names: string, from: string) => `import { ${names} } from "${from}";`],
    ["require", "use.cjs", (names: string, from: string) => `const { ${names} } = require("${from}");`],
  ])("can be loaded with %s", async (_, file, imports) => {
    const both =
      imports("Database, events, Link", "pulumi-cloudservices") +
      imports("CloudServices", "cloudservices-sdk");
    expect(await consumerProject.node(file, both + exported)).toEqual([
      "function",
      "function",
      "object",
      "function",
    ]);
  });

  /** Returns the files that an entry of a package loads beside Pulumi. */
  const filesOf = async (entry: string) => {
    const loaded = await consumerProject.node(
      "loaded.cjs",
      `require("@pulumi/pulumi");
       const before = new Set(Object.keys(require.cache));
       require("${entry}");
       console.log(JSON.stringify(Object.keys(require.cache).filter((file) => !before.has(file))));`,
    );
    return z.array(z.string()).parse(loaded);
  };

  it.each(["pulumi-cloudservices", "pulumi-cloudservices/native"])(
    "%s loads only what declaring resources needs",
    async (entry) => {
      const files = await filesOf(entry);
      expect(files.length).toBeGreaterThan(5);
      for (const file of files) expect(file).toMatch(/node_modules.pulumi-cloudservices.dist./);
      expect(
        files.filter((file) =>
          /dist.(resources.(?!database-behind)|functions|kernel.(stack.(?!version)|lifecycle))/.test(file),
        ),
      ).toEqual([]);
    },
  );

  it("the process of dynamic providers loads a few files, and undici with the first request", async () => {
    const files = await filesOf("pulumi-cloudservices/dynamic");
    for (const file of files) expect(file).toMatch(/node_modules.pulumi-cloudservices.bundle./);
    expect(files.length).toBeLessThan(10);
  });

  const program = `
    import * as pulumi from "@pulumi/pulumi";
    import { CloudServices, NotFoundError, type Link as LinkData } from "cloudservices-sdk";
    import { Database, estimateCost, getLinksOutput, Link, type LinkArgs, VpsInstance } from "pulumi-cloudservices";
    const config = new pulumi.Config();
    const args: LinkArgs = { url: "https://example.com/", passcode: config.requireSecret("passcode") };
    const link = new Link("home", args, { protect: true });
    export const shortUrl: pulumi.Output<string> = link.shortUrl;
    // @ts-expect-error: no such input
    new Link("wrong", { url: "https://example.com/", color: "red" });
    // @ts-expect-error: a region is required
    new Database("orders", { engine: "postgresql", version: "16", plan: "db-starter-1" });
    export const server = new VpsInstance("web", { plan: "vps-micro-1", region: "eu", image: "debian-12" });
    const client = new CloudServices({ apiKey: "k", baseUrl: "https://api.example.com/v1" });
    export const read = async (id: string): Promise<LinkData> => client.links.get(id);
    export const isGone = (error: unknown): boolean => error instanceof NotFoundError;
    export { estimateCost, getLinksOutput };`;

  // The declarations themselves are checked once; the others look at what a program sees of them.
  it.each([
    ["Node's rules, in both kinds of modules", "nodenext", "nodenext", ["types.mts", "types.cts"], false],
    ["Node 16's rules, in both kinds of modules", "node16", "node16", ["types.mts", "types.cts"], true],
    ["a bundler", "esnext", "bundler", ["types.ts"], true],
    ["the rules of Pulumi's own templates", "commonjs", "node10", ["types.ts"], true],
  ])(
    "provide types for programs that resolve modules like %s",
    async (_, module, resolution, files, skipLibCheck) => {
      consumerProject.write(Object.fromEntries(files.map((file) => [file, program])));
      expect(await consumerProject.compile(files, { module, resolution, skipLibCheck })).toBe("");
    },
  );
});

describe("the guide for tests", () => {
  it("has tests that pass", async () => {
    const guide = readFileSync(join(root, "docs/testing.md"), "utf8");
    const files = [...guide.matchAll(/^```ts\n\/\/ (\S+)\n(.*?)^```/gms)].map(
      ([, name = "", code = ""]) => [name, code] as const,
    );
    expect(files.map(([name]) => name)).toEqual(["shop.ts", "shop.test.ts", "shop.unit.test.ts"]);
    consumerProject.write(Object.fromEntries(files));
    const vitest = join(root, "node_modules/vitest");
    const link = join(consumerProject.folder, "node_modules/vitest");
    if (!existsSync(link)) symlinkSync(vitest, link);
    const names = files.map(([name]) => name);
    // Not by the text, which has colours in CI.
    const ended = await consumerProject.run(process.execPath, [
      join(vitest, "vitest.mjs"),
      ...["run", "--reporter=json", ...names.slice(1)],
    ]);
    expect(JSON.parse(ended.stdout), ended.stdout + ended.stderr).toMatchObject({
      numPassedTests: 4,
      numTotalTests: 4,
    });
  });
});

describe("the installed sandbox", () => {
  const created = z.object({ status: z.literal("success"), data: z.object({ short_url: z.string() }) });
  const listed = z.object({ data: z.array(z.object({ status: z.string() })) });

  it("starts with `npx`, prints a working request, and stops completely at Ctrl-C", async () => {
    const command = await startCommand(
      consumerProject,
      ["npx", "--no", "--", "cloudservices-sandbox", "--port", "0"],
      /curl .*\n/,
    );
    const { output } = command;
    for (const line of [
      /base URL {3}http:\/\/127\.0\.0\.1:\d+\/v1\n/,
      /API key {4}sandbox_local\n/,
      /mail {7}smtp:\/\/127\.0\.0\.1:\d+\n/,
      /dashboard {2}http:\/\/127\.0\.0\.1:\d+\/\n/,
    ])
      expect(output).toMatch(line);

    const printed = /^ {2}(curl .*)$/m.exec(output)?.[1] ?? "";
    const { short_url: shortUrl } = created.parse(JSON.parse(await answerTo(printed))).data;
    const followed = await fetch(shortUrl, { redirect: "manual" });
    expect(followed.headers.get("location")).toBe("https://example.com");

    // With a database, its server is one more process that has to go.
    const baseUrl = /base URL\s+(\S+)/.exec(output)?.[1] ?? "";
    const headers = { authorization: "Bearer sandbox_local", "content-type": "application/json" };
    const body = JSON.stringify({
      ...{ name: "orders", engine: "postgresql", version: "16" },
      ...{ plan: "db-starter-1", region: "eu-central-1" },
    });
    expect((await fetch(`${baseUrl}/databases`, { method: "POST", headers, body })).status).toBe(201);
    const state = async () =>
      listed.parse(await (await fetch(`${baseUrl}/databases`, { headers })).json()).data[0]?.status;
    await expect.poll(state, { timeout: 60_000, interval: 100 }).toBe("ready");

    await command.interrupt();
    await expect(fetch(baseUrl)).rejects.toThrow();
  });

  it("starts as a library, responds, and lets the program exit", async () => {
    const source = `
      import { startSandbox } from "cloudservices-sandbox";
      const sandbox = await startSandbox();
      const { status } = await fetch(sandbox.baseUrl + "/webhooks", { headers: { authorization: "Bearer " + sandbox.apiKey } });
      await sandbox.close();
      console.log(JSON.stringify(status));`;
    expect(await consumerProject.node("library.mjs", source)).toBe(200);
  });

  it.each([
    ["help", ["--help"], 0, /--profile/, /^$/],
    ["a wrong flag", ["--colour"], 2, /^$/, /^cloudservices-sandbox: [^\n]*--colour[^\n]*\n$/],
  ])("prints %s with the matching exit code", async (_, flags, code, out, err) => {
    const outcome = await consumerProject.run(
      join(consumerProject.folder, "node_modules/.bin/cloudservices-sandbox"),
      flags,
    );
    expect(outcome).toMatchObject({
      code,
      stdout: expect.stringMatching(out),
      stderr: expect.stringMatching(err),
    });
  });
});

/** Has a shell run the printed line; where there is no curl, does what the line says. */
async function answerTo(line: string): Promise<string> {
  const asked = await run("sh", ["-c", line], { env: process.env });
  if (asked.code !== 127) {
    expect(asked.code, asked.stderr).toBe(0);
    return asked.stdout;
  }
  const [url = "", body] = [/http:\/\/\S+/, /-d '(.*?)'/].map((part) => part.exec(line)?.at(-1));
  const headers = [...line.matchAll(/-H '(.*?): (.*?)'/g)].map(([, name = "", value = ""]) => [name, value]);
  const response = await fetch(url, {
    headers: Object.fromEntries(headers),
    ...(body !== undefined && { method: "POST", body }),
  });
  return response.text();
}

it("the engine finds the installed provider at every step of a stack's life", async () => {
  const sandbox = await openSandbox();
  consumerProject.write({
    "Pulumi.yaml": "name: consumerProject\nruntime: nodejs\nmain: program.cjs\n",
    "program.cjs": `
      const { Link } = require("pulumi-cloudservices");
      exports.shortUrl = new Link("home", { url: "https://example.com/" }).shortUrl;`,
  });
  const env = {
    ...consumerProject.env,
    ...openFolder().environment,
    CLOUDSERVICES_BASE_URL: sandbox.baseUrl,
    CLOUDSERVICES_API_KEY: sandbox.apiKey,
  };
  for (const args of [
    ["stack", "init", "dev"],
    ["up", "--yes", "--skip-preview"],
    ["preview", "--expect-no-changes"],
    ["refresh", "--yes", "--expect-no-changes"],
    ["destroy", "--yes", "--skip-preview"],
  ]) {
    const { code, stdout, stderr } = await run("pulumi", ["--non-interactive", ...args], {
      cwd: consumerProject.folder,
      env,
    });
    expect(code, `${args.join(" ")}:\n${stdout}${stderr}`).toBe(0);
    if (args[0] === "up") expect(sandbox.resources().map(({ kind }) => kind)).toEqual(["Link"]);
  }
  expect(sandbox.resources()).toEqual([]);
});
