import type { PulumiFn } from "@pulumi/pulumi/automation/index.js";
import { type Sandbox, type SandboxOptions, startSandbox } from "cloudservices-sandbox";
import { CloudServices, type DatabaseCreateInput } from "cloudservices-sdk";
import type { Config } from "./config.js";
import { closeLater } from "./folder.js";
import { watch } from "./modes.js";
import { openStack, type TestStack } from "./stack.js";

/** Starts a sandbox for one test, which stops at the end of the test file at the latest. */
export async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  closeLater(() => sandbox.close());
  watch(sandbox);
  return sandbox;
}

/** Settings that poll as fast as the sandbox changes. */
export const quick: Config = { "cloudservices:pollInterval": "20" };

/** Opens a stack on a sandbox of its own. */
export async function openTestStack(
  program: PulumiFn,
  options: {
    config?: Config;
    sandbox?: Sandbox;
    service?: SandboxOptions;
    project?: string;
    name?: string;
  } = {},
): Promise<{ sandbox: Sandbox; stack: TestStack }> {
  const sandbox = options.sandbox ?? (await openSandbox(options.service));
  const { project, name } = options;
  const config = { ...quick, ...options.config };
  const stack = await openStack({
    program,
    sandbox,
    config,
    ...(project && { project }),
    ...(name && { name }),
  });
  return { sandbox, stack };
}

/** Starts a sandbox with a database that no stack manages yet. */
export async function openDatabase(
  inputs: DatabaseCreateInput,
): Promise<{ sandbox: Sandbox; client: CloudServices; id: string }> {
  const sandbox = await openSandbox();
  const client = new CloudServices({ apiKey: sandbox.apiKey, baseUrl: sandbox.baseUrl });
  const { id } = await client.databases.create(inputs);
  await client.databases.waitUntilReady(id, { interval: 20 });
  takeRequests(sandbox);
  return { sandbox, client, id };
}

/** Returns the requests that a sandbox has received since the last call, as `METHOD /path`. */
export function takeRequests(sandbox: Sandbox): string[] {
  const requests = sandbox.journal().map(({ method, path }) => `${method} ${path}`);
  sandbox.clearJournal();
  return requests;
}

/** Declares a resource without types, like a program in JavaScript. */
export const declaring =
  (resource: new (...args: never[]) => unknown) =>
  (name: string, inputs: Readonly<Record<string, unknown>>, options: object = {}): void =>
    void Reflect.construct(resource, [name, inputs, options]);
