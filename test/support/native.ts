import type { PulumiFn } from "@pulumi/pulumi/automation/index.js";
import type { Sandbox, SandboxOptions } from "cloudservices-sandbox";
import type { Config } from "./config.js";
import { openStack, type TestStack } from "./stack.js";
import { openSandbox, quick } from "./test-stack.js";

/** Opens a stack whose programs use the native plugin, on a sandbox of its own. */
export async function openNativeStack(
  program: PulumiFn,
  options: { config?: Config; sandbox?: Sandbox; service?: SandboxOptions } = {},
): Promise<{ sandbox: Sandbox; stack: TestStack }> {
  const sandbox = options.sandbox ?? (await openSandbox(options.service));
  const stack = await openStack({ program, sandbox, config: { ...quick, ...options.config }, native: true });
  return { sandbox, stack };
}
