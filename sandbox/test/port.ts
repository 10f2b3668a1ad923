import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Returns a free port below the range that systems assign automatically, so that it probably stays free. */
export async function fixedPort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(10_000, 32_768);
    if (await isFree(port)) return port;
  }
  throw new Error("no free port was found");
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  const isListening = await new Promise<boolean>((resolve) => {
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => resolve(true));
  });
  if (isListening) await new Promise((resolve) => probe.close(resolve));
  return isListening;
}
