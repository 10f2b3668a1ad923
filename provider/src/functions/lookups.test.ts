import { createServer } from "node:http";
import { expect, it } from "vitest";
import { clientOfServer } from "../test-support/client-of-server.js";
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
  const client = await clientOfServer(service);
  expect(await getDatabase.run(() => client, { name: "orders" }, { preview: false })).toMatchObject({
    connectionUri: "postgresql://u:p@h:5432/d",
  });
});
