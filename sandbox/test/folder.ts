import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/**
 * Returns an empty folder that is deleted after the test. The server of a killed sandbox may still be stopping in it.
 */
export async function temporaryFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "sandbox-test-"));
  onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  return path;
}
