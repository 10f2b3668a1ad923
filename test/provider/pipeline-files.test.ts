import { once } from "node:events";
import { chmodSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { run } from "../../tools/process/run.mjs";
import { closeLater, openFolder } from "../support/folder.js";
import { portOf } from "../support/port-of.js";

const folder = new URL("../../examples/pipeline/", import.meta.url);
const read = (name: string) => readFileSync(new URL(name, folder), "utf8");

const github = z.object({
  permissions: z.strictObject({}),
  jobs: z.record(
    z.string(),
    z.object({
      permissions: z.record(z.string(), z.string()),
      steps: z.array(
        z.object({
          uses: z.string().optional(),
          run: z.string().optional(),
          with: z.record(z.string(), z.unknown()).optional(),
          env: z.record(z.string(), z.string()).optional(),
        }),
      ),
    }),
  ),
});

it("the workflow for GitHub pins what it uses, and only the job without secrets may write", () => {
  const { jobs } = github.parse(parse(read("github.yml")));
  for (const [name, { permissions, steps }] of Object.entries(jobs)) {
    for (const { uses } of steps)
      if (uses !== undefined) expect(uses).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
    const hasSecrets = steps.some(({ env = {} }) =>
      Object.values(env).some((value) => value.includes("secrets.")),
    );
    const writes = Object.values(permissions).includes("write");
    expect([name, writes, hasSecrets]).toEqual([name, name === "comment", name !== "comment"]);
  }
});

it("both files use the engine that the tests use", () => {
  const { jobs } = github.parse(parse(read("github.yml")));
  const versions = Object.values(jobs).flatMap(({ steps }) =>
    steps.flatMap((step) => step.with?.["pulumi-version"] ?? []),
  );
  const { default: common } = z
    .object({ default: z.object({ image: z.string() }) })
    .parse(parse(read("gitlab.yml")));
  const tested = readFileSync(new URL("../../tools/engine/version.mjs", import.meta.url), "utf8");
  for (const version of [...versions, common.image.split(":")[1]]) expect(tested).toContain(`"${version}"`);
  expect(versions).toHaveLength(2);
});

/** Writes commands and makes them executable. */
function openCommands(commands: Readonly<Record<string, string>>): string {
  const { path, write } = openFolder();
  write(Object.fromEntries(Object.entries(commands).map(([name, line]) => [name, `#!/bin/sh\n${line}\n`])));
  for (const name of Object.keys(commands)) chmodSync(join(path, name), 0o755);
  return path;
}

it("no file applies without a reviewed plan", async () => {
  const cwd = openCommands({ "pipeline.sh": "echo run $1 of $REVIEWED_PLAN" });
  const { jobs } = github.parse(parse(read("github.yml")));
  const { apply } = z
    .object({ apply: z.object({ script: z.array(z.string()) }) })
    .parse(parse(read("gitlab.yml")));
  const scripts = [jobs["apply"]?.steps.map((step) => step.run ?? ""), apply.script];
  for (const lines of scripts) {
    const script = lines?.filter((line) => line !== "npm ci").join("\n") ?? "";
    const start = (plan: string) =>
      run("sh", ["-e", "-c", script], { cwd, env: { ...process.env, REVIEWED_PLAN: plan } });
    expect(await start("")).toMatchObject({ code: 10, stdout: expect.not.stringContaining("run apply") });
    expect(await start("0123abc")).toMatchObject({ code: 0, stdout: "run apply of 0123abc\n" });
  }
});

it("a summary that does not start keeps its exit code", async () => {
  const bin = openCommands({ pulumi: "echo {}", npx: "exit 127" });
  const outcome = await run("sh", [fileURLToPath(new URL("pipeline.sh", folder)), "preview"], {
    cwd: bin,
    env: {
      PATH: `${bin}:${process.env["PATH"]}`,
      PULUMI_STACK: "dev",
      GITHUB_STEP_SUMMARY: join(bin, "page.md"),
    },
  });
  expect(outcome.code, outcome.stderr).toBe(127);
});

/** A comment as both services return it. */
interface Comment {
  readonly id: number;
  readonly user: { readonly login: string };
  readonly author: { readonly username: string };
  body: string;
}

/** Serves the comments of one pull request, in pages, as both services do. */
async function openComments(count: number, me: string, hasName: boolean) {
  const commentOf = (id: number, body: string, by: string): Comment => ({
    id,
    body,
    user: { login: by },
    author: { username: by },
  });
  const comments = Array.from({ length: count }, (_, id) =>
    commentOf(id, "<!-- pulumi-cloudservices summary: dev -->\nLooks good", "somebody"),
  );
  const keys = new Set<string>();
  const seen: string[] = [];
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://service");
    const { authorization, "private-token": token } = request.headers;
    keys.add(String(authorization ?? token));
    seen.push(`${request.method} ${pathname}`);
    let result: unknown;
    if (pathname === "/user") {
      response.statusCode = hasName ? 200 : 403;
      result = hasName ? { username: me } : { message: "Resource not accessible by integration" };
    } else if (request.method === "GET") {
      const [page, size] = [Number(searchParams.get("page")), Number(searchParams.get("per_page"))];
      result = comments.slice((page - 1) * size, page * size);
    } else {
      const { body } = z.object({ body: z.string() }).parse(await json(request));
      const known = comments.find(({ id }) => pathname.endsWith(`/${id}`));
      if (known) known.body = body;
      else comments.push(commentOf(comments.length, body, me));
      result = { id: known?.id };
    }
    response.setHeader("content-type", "application/json").end(JSON.stringify(result));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closeLater(() => void server.close());
  return { url: `http://127.0.0.1:${portOf(server)}`, comments, keys, seen };
}

it.each([
  {
    service: "GitHub",
    env: { GITHUB_REPOSITORY: "a/b", GITHUB_TOKEN: "key", PULL_REQUEST: "7" },
    root: "GITHUB_API_URL",
    key: "Bearer key",
    // The job's key belongs to an app.
    me: "github-actions[bot]",
    hasName: false,
    post: "POST /repos/a/b/issues/7/comments",
    update: "PATCH /repos/a/b/issues/comments/150",
  },
  {
    service: "GitLab",
    env: { GITLAB_CI: "true", CI_PROJECT_ID: "3", CI_MERGE_REQUEST_IID: "7", GITLAB_TOKEN: "key" },
    root: "CI_API_V4_URL",
    key: "key",
    me: "project_3_bot",
    hasName: true,
    post: "POST /projects/3/merge_requests/7/notes",
    update: "PUT /projects/3/merge_requests/7/notes/150",
  },
])("posts one comment on $service, and updates it from then on", async (test) => {
  const { env, root, key, post, update, me, hasName } = test;
  const service = await openComments(150, me, hasName);
  const work = openFolder();
  const comment = async (text: string) => {
    work.write({ "summary.md": `<!-- pulumi-cloudservices summary: dev -->\n${text}\n` });
    const { GITHUB_API_URL: _, GITLAB_CI: __, ...rest } = process.env;
    const outcome = await run(process.execPath, [fileURLToPath(new URL("comment.mjs", folder))], {
      cwd: work.path,
      env: { ...rest, ...env, [root]: service.url },
    });
    expect(outcome.code, outcome.stderr).toBe(0);
  };
  await comment("first");
  await comment("second");
  expect(service.comments).toHaveLength(151);
  expect(service.comments[150]?.body).toContain("second");
  expect(service.seen.filter((request) => !request.startsWith("GET"))).toEqual([post, update]);
  expect([...service.keys]).toEqual([key]);
});
