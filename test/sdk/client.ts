import type { Sandbox, SandboxOptions } from "cloudservices-sandbox";
import { type ClientOptions, CloudServices } from "cloudservices-sdk";
import { closeLater } from "../support/folder.js";
import { openSandbox } from "../support/test-stack.js";

/** Starts a sandbox for one test, and a client that polls as fast as the sandbox changes. */
export async function openClient(
  options: SandboxOptions = {},
  clientOptions: ClientOptions = {},
): Promise<{ sandbox: Sandbox; client: CloudServices }> {
  const sandbox = await openSandbox(options);
  return { sandbox, client: clientOf(sandbox, clientOptions) };
}

/** Returns another client of a sandbox, which is closed after the test. */
export function clientOf(sandbox: Sandbox, options: ClientOptions = {}): CloudServices {
  const client = new CloudServices({
    apiKey: sandbox.apiKey,
    baseUrl: sandbox.baseUrl,
    pollInterval: 20,
    ...options,
  });
  closeLater(() => client.close());
  return client;
}
