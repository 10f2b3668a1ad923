import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder, install, installed } from "../engine/cache.mjs";

const module = fileURLToPath(new URL(".", import.meta.url));
const version = "1.2.0";
const program = "github.com/johannesboyne/gofakes3/cmd/gofakes3";

/**
 * Finds the S3-compatible server of the tests in the cache or builds it, and returns its path.
 *
 * @param {object} options
 * @param {import("../engine/shared-go.mjs").SharedGo} options.go
 * @param {(line: string) => void} options.log
 * @param {NodeJS.ProcessEnv} [options.env]
 * @returns {Promise<string>}
 */
export async function ensureS3({ go, log, env = process.env }) {
  const folder = join(cacheFolder(env), `s3-v${version}-${process.platform}-${process.arch}`);
  const unit = { folder, label: "the S3 server", manifest: "s3.json", files: ["gofakes3"] };
  if (!installed(unit)) {
    const fill = async (/** @type {string} */ temporary) => {
      const opened = await go.open();
      log(`building the S3 server with ${opened.version} (some seconds, once)`);
      await opened.build({ name: "gofakes3", module, package: program }, temporary);
      return { version, source: "build" };
    };
    await install(unit, fill, log);
  }
  return join(folder, "gofakes3");
}
