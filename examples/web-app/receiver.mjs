// Receives notifications about backups: WEBHOOK_SECRET=… PORT=8080 node receiver.mjs
import { createServer } from "node:http";
import { EventVerificationError, receiveEvent } from "cloudservices-sdk";

const { WEBHOOK_SECRET, PORT = "8080" } = process.env;
if (!WEBHOOK_SECRET) throw new Error("Set WEBHOOK_SECRET to the secret of the webhook.");

const server = createServer(async (request, response) => {
  try {
    const event = await receiveEvent(request, WEBHOOK_SECRET);
    console.log("received", event.type, event.type === "other" ? event.event : event.data.databaseName);
    response.writeHead(204).end();
  } catch (error) {
    const rejected = error instanceof EventVerificationError;
    console.error("rejected", rejected ? error.message : error);
    // The specification shows no retries. The sandbox delivers again after every status but 2xx.
    response.writeHead(rejected ? 400 : 500, { connection: "close" }).end();
  }
});
server.listen(Number(PORT), "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object") console.log(`listening on http://127.0.0.1:${address?.port}/`);
});
