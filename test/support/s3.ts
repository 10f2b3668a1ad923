import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { fixedPort } from "../../sandbox/test/port.js";
import { SharedGo } from "../../tools/engine/shared-go.mjs";
import { ensureS3 } from "../../tools/s3/ensure.mjs";
import { closeLater } from "./folder.js";

/** A bucket on a server of its own, in memory. */
export interface Bucket {
  /** Makes the engine keep its state in the bucket. */
  readonly environment: Readonly<Record<string, string>>;
  /** Returns the text of all objects, by key. */
  objects(): Promise<ReadonlyMap<string, string>>;
}

/** Returns the path of the server's program, or undefined on a machine that cannot build it. */
export async function s3Program(): Promise<string | undefined> {
  const log = (line: string) => console.error(`S3: ${line}`);
  const go = new SharedGo({ env: process.env, log });
  try {
    return await ensureS3({ go, log });
  } catch (error) {
    log(`no server, so the tests that need it are skipped: ${String(error)}`);
    return undefined;
  } finally {
    go.close();
  }
}

/** Starts a server with an empty bucket. */
export async function openBucket(program: string): Promise<Bucket> {
  const port = await fixedPort();
  const address = `http://127.0.0.1:${port}`;
  const flags = ["-backend", "memory", "-host", `127.0.0.1:${port}`, "-initialbucket", "state", "-quiet"];
  const server = spawn(program, flags, { stdio: "ignore" });
  closeLater(async () => {
    const ended = once(server, "exit");
    if (server.kill("SIGKILL")) await ended;
  });
  const responds = () =>
    fetch(`${address}/state`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await responds())) {
    if (server.exitCode !== null) throw new Error(`The S3 server ended with ${server.exitCode}.`);
    await pause(20);
  }
  return {
    environment: {
      PULUMI_BACKEND_URL: `s3://state?endpoint=${address}&s3ForcePathStyle=true&region=us-east-1`,
      // The server accepts any.
      AWS_ACCESS_KEY_ID: "test",
      AWS_SECRET_ACCESS_KEY: "test",
    },
    async objects() {
      const list = await (await fetch(`${address}/state?list-type=2`)).text();
      const keys = [...list.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = ""]) => key);
      const texts = keys.map(
        async (key) => [key, await (await fetch(`${address}/state/${key}`)).text()] as const,
      );
      return new Map(await Promise.all(texts));
    },
  };
}
