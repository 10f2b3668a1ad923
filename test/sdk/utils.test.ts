import { createServer } from "node:http";
import { ValidationError } from "cloudservices-sdk";
import { describe, expect, it } from "vitest";
import { errorOf } from "../support/failure.js";
import { closeLater } from "../support/folder.js";
import { openClient } from "./client.js";

const { sandbox, client } = await openClient();

describe("utils", () => {
  it("utils.lookupIp: looks up IPv4 and IPv6 addresses, and does not send anything else", async () => {
    expect(await client.utils.lookupIp("192.0.2.7")).toMatchObject({ ip: "192.0.2.7", type: "ipv4" });
    expect(await client.utils.lookupIp("2001:db8::7")).toMatchObject({ type: "ipv6" });
    await errorOf(client.utils.lookupIp("192.0.2.0/24"), ValidationError);
  });

  it("utils.lookupDns: returns the records of a name with their time to live", async () => {
    sandbox.setZone([{ name: "www.example.com", type: "A", data: "192.0.2.7", ttl: 60 }]);
    expect(await client.utils.lookupDns({ name: "www.example.com", type: "A" })).toMatchObject({
      question: { name: "www.example.com", type: "A" },
      answers: [{ type: "A", ttl: 60, data: "192.0.2.7" }],
    });
  });

  it("utils.relay: forwards payload and headers unchanged", async () => {
    const received: unknown[] = [];
    const server = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => {
        body += chunk.toString();
      });
      request.on("end", () => {
        received.push({ body: JSON.parse(body), trace: request.headers["x-trace_id"] });
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closeLater(async () => void server.close());
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const payload = { snake_case: 1, camelCase: { "with space": [null] } };
    const response = await client.utils.relay({
      targetUrl: `http://127.0.0.1:${port}/hook`,
      payload,
      headers: { "X-Trace_Id": "7" },
    });
    expect(response).toEqual({ delivered: true, statusCode: 200 });
    expect(received).toEqual([{ body: payload, trace: "7" }]);
  });
});
