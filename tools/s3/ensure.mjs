import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureBuilt } from "../engine/built.mjs";

const name = "gofakes3";

/**
 * Finds the S3-compatible server of the tests in the cache or builds it, and returns its path.
 *
 * @param {object} options
 * @param {import("../engine/shared-go.mjs").SharedGo} options.go
 * @param {(line: string) => void} options.log
 * @param {NodeJS.ProcessEnv} [options.env]
 * @returns {Promise<string>}
 */
export async function ensureS3(options) {
  const module = fileURLToPath(new URL(".", import.meta.url));
  const folder = await ensureBuilt({
    name: "s3",
    version: "v1.2.0",
    label: "the S3 server",
    duration: "some seconds",
    programs: [{ name, module, package: "github.com/johannesboyne/gofakes3/cmd/gofakes3" }],
    ...options,
  });
  return join(folder, name);
}
