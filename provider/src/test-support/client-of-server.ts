import type { Server } from "node:http";
import { onTestFinished } from "vitest";
import { readSettings } from "../kernel/settings/read-settings.js";
import { clientOf } from "../kernel/stack/client.js";

/** Starts a server for one test, and returns a client of it that does not retry. */
export async function clientOfServer(server: Server): Promise<ReturnType<typeof clientOf>> {
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  onTestFinished(() => void server.close());
  const config: Record<string, string> = {
    "cloudservices:apiKey": "key",
    "cloudservices:baseUrl": `http://127.0.0.1:${Object(server.address()).port}/v1`,
    "cloudservices:maxRetries": "0",
  };
  const api = clientOf(readSettings((key) => config[key], {}));
  onTestFinished(() => api.close());
  return api;
}
