import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { run } from "../tools/process/run.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

async function packedFiles(folder: string): Promise<string[]> {
  const { code, stdout, stderr } = await run("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: `${root}${folder}`,
    env: process.env,
  });
  expect(code, stderr).toBe(0);
  return [...stdout.matchAll(/"path":\s*"([^"]+)"/g)].map(([, path]) => path ?? "");
}

describe.each(["sdk", "provider", "sandbox"])("the package in %s", (folder) => {
  it("holds what it needs, says what it is, and nothing of how it is built or tested", async () => {
    const files = await packedFiles(folder);
    expect(files).toEqual(expect.arrayContaining(["package.json", "README.md", "LICENSE"]));
    expect(files.filter((file) => /\.d\.ts$/.test(file)).length).toBeGreaterThan(0);
    expect(files.filter((file) => /(^|\/)(src|test|node_modules)\/|\.test\.|tsbuildinfo/.test(file))).toEqual(
      [],
    );
  });
});

it("the provider is what its states ask for, by require and by import", async () => {
  const asked =
    'const {handlers}=require(require.resolve("pulumi-cloudservices/dynamic",{paths:["."]}));console.log(Object.keys(handlers).join())';
  const required = await run(process.execPath, ["-e", asked], { cwd: root, env: process.env });
  expect(required.stdout.trim()).toBe("Link,Database,BackupSchedule,VpsInstance,Inbox,Webhook,VpsAction");
  const imported =
    'import { Database, Link, events } from "pulumi-cloudservices";console.log(typeof Database, typeof Link, typeof events)';
  const module = await run(process.execPath, ["--input-type=module", "-e", imported], {
    cwd: root,
    env: process.env,
  });
  expect(module.stdout.trim()).toBe("function function object");
});
