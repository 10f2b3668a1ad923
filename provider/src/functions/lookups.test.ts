import { createServer } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { readSettings } from "../kernel/settings/read-settings.js";
import { clientOf } from "../kernel/stack/client.js";
import { getDatabase } from "./lookups.js";

it("getDatabase reads the database itself where the list leaves out its addresses", async () => {
  const listed = { id: "db_1", name: "orders", status: "ready" };
  const whole = { ...listed, connection_uri: "postgresql://u:p@h:5432/d" };
  const service = createServer(({ url = "" }, response) => {
    const data = url.includes("db_1") ? whole : [listed];
    const meta = { request_id: "req_1", timestamp: 1_767_225_600, page: 1, limit: 100, total: 1 };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ status: "success", data, meta, error: null }));
  });
  await new Promise<void>((resolve) => void service.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void service.close());
  const address = service.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const config = {
    "cloudservices:apiKey": "key",
    "cloudservices:baseUrl": `http://127.0.0.1:${port}/v1`,
  };
  const client = clientOf(readSettings((key) => new Map(Object.entries(config)).get(key), {}));
  expect(await getDatabase.run(() => client, { name: "orders" }, { preview: false })).toMatchObject({
    connectionUri: "postgresql://u:p@h:5432/d",
  });
});
