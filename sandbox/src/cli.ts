import { readFileSync } from "node:fs";
import { z } from "zod";
import { exposureWarning } from "./cli-exposure.js";
import { unknownVariables, usage } from "./cli-flag-table.js";
import { type Command, parseCommand } from "./cli-flags.js";
import { checkHealth } from "./cli-health.js";
import type { SandboxControl } from "./control/sandbox-control.js";
import { urlHost } from "./http/hosts.js";
import type { SandboxOptions } from "./options.js";
import type { Sandbox } from "./sandbox.js";

const command = parseCommand(process.argv.slice(2), process.env);
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
  case "health":
    await showHealth(command.host, command.port);
    break;
  case "start":
    await run(command);
}

async function showHealth(host: string, port: number): Promise<void> {
  const { isHealthy, line } = await checkHealth(`http://${urlHost(host)}:${port}`);
  if (!isHealthy) fail(line, 1);
  process.stdout.write(`${line}\n`);
}

async function run({ options, state, seed }: Extract<Command, { do: "start" }>): Promise<void> {
  for (const variable of unknownVariables(process.env))
    process.stderr.write(`cloudservices-sandbox: ${variable} is no setting and is ignored; see --help\n`);
  // Set first: as process 1 of a container, Node ignores signals that have no handler.
  const stopping = new AbortController();
  let running: Sandbox | undefined;
  const stop = () => {
    if (stopping.signal.aborted) process.exit(130);
    stopping.abort();
    if (running) end(running, options);
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  // Loaded on demand: a health check, which runs often, does not need them.
  const [{ startSandbox }, { loadSeed, loadState }] = await Promise.all([
    import("./sandbox.js"),
    import("./cli-seed.js"),
  ]);
  /** Fills the sandbox before it serves a request: a client must not see an empty account. */
  const prepare = async (control: SandboxControl): Promise<void> => {
    // An import can be stopped at any time: it stores all its resources at once, at its end.
    if (state !== undefined) await Promise.race([loadState(control, state), aborted(stopping.signal)]);
    if (seed !== undefined) await loadSeed(control, seed, stopping.signal);
    stopping.signal.throwIfAborted();
  };
  const sandbox = await startSandbox(options, prepare).catch((error: unknown) =>
    stopping.signal.aborted ? process.exit(0) : fail(reasonOf(error, options), 1),
  );
  running = sandbox;
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
}

/** Rejects when the signal aborts. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}

/** Closes a sandbox and ends the process. */
function end(sandbox: Sandbox, options: SandboxOptions): void {
  sandbox.close().then(
    () => process.exit(0),
    (error: unknown) => fail(reasonOf(error, options), 1),
  );
}

function reasonOf(error: unknown, options: SandboxOptions): string {
  if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") {
    return `port ${portOf(error, options)} is in use; another sandbox may be running. --help lists the flags for ports`;
  }
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
