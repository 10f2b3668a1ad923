import type { Sandbox, SandboxOptions } from "cloudservices-sandbox";
import { type ClientOptions, CloudServices } from "cloudservices-sdk";
import { openSandbox } from "../support/cloud.js";
import { closeLater } from "../support/folder.js";

/** A sandbox of its own, and a client of it that waits as fast as the sandbox changes. */
export async function openClient(
  options: SandboxOptions = {},
  clientOptions: ClientOptions = {},
): Promise<{ sandbox: Sandbox; client: CloudServices }> {
  const sandbox = await openSandbox(options);
  return { sandbox, client: clientOf(sandbox, clientOptions) };
}

/** Another client of a sandbox. */
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
