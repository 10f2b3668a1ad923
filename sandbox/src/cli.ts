import { readFileSync } from "node:fs";
import { z } from "zod";
import { exposureWarning } from "./cli-exposure.js";
import { parseCommand, usage } from "./cli-flags.js";
import { seedSchema } from "./control/seed.js";
import type { SandboxOptions } from "./options.js";
import { type Sandbox, startSandbox } from "./sandbox.js";

const command = parseCommand(process.argv.slice(2));
switch (command.do) {
  case "help":
    process.stdout.write(usage);
    break;
  case "version":
    process.stdout.write(`${version()}\n`);
    break;
  case "refuse":
    fail(`${command.why} (--help lists the flags)`, 2);
    break;
  case "start":
    await run(command.options, command.seedFile);
}

async function run(options: SandboxOptions, seedFile: string | undefined): Promise<void> {
  const sandbox = await startSandbox(options).catch((error: unknown) => fail(reasonOf(error, options), 1));
  if (seedFile !== undefined) {
    await loadSeed(sandbox, seedFile).catch(async (error: unknown) => {
      await sandbox.close();
      fail(`${seedFile}: ${reasonOf(error, options)}`, 1);
    });
  }
  process.stdout.write(`Cloud Services sandbox ${version()} (${options.profile ?? "conventional"} profile)

  base URL   ${sandbox.baseUrl}
  API key    ${sandbox.apiKey}
  mail       ${sandbox.smtp ? `smtp://${sandbox.smtp.host}:${sandbox.smtp.port}` : "off"}
  dashboard  ${sandbox.url}/
  control    ${sandbox.url}/_sandbox/
${exposureWarning(options)}
Try it:
  curl -s ${sandbox.baseUrl}/shortener/links -H 'Authorization: Bearer ${sandbox.apiKey}' -H 'Content-Type: application/json' -d '{"url":"https://example.com"}'
`);
  let closing = false;
  const stop = () => {
    if (closing) process.exit(130);
    closing = true;
    sandbox.close().then(
      () => process.exit(0),
      (error: unknown) => fail(reasonOf(error, options), 1),
    );
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
}

/** Seeds the sandbox, unless its data folder already holds resources. */
async function loadSeed(sandbox: Sandbox, file: string): Promise<void> {
  if (sandbox.resources().length > 0) return;
  await sandbox.seed(seedSchema.parse(JSON.parse(readFileSync(file, "utf8"))));
}

function reasonOf(error: unknown, options: SandboxOptions): string {
  if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") {
    return `port ${portOf(error, options)} is in use; another sandbox may be running. --help lists the flags for ports`;
  }
  if (error instanceof z.ZodError) return z.prettifyError(error).replaceAll("\n", " ");
  return error instanceof Error ? error.message : String(error);
}

function portOf(error: Error, options: SandboxOptions): unknown {
  return "port" in error ? error.port : options.port;
}

function fail(why: string, status: number): never {
  process.stderr.write(`cloudservices-sandbox: ${why}\n`);
  process.exit(status);
}

function version(): string {
  const manifest = z.object({ version: z.string() });
  return manifest.parse(JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")))
    .version;
}
