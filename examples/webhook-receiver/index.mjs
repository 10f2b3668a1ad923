// Receives notifications on plain node:http: WEBHOOK_SECRET=... PORT=8080 node index.mjs
import { createServer } from "node:http";
import { EventVerificationError, receiveEvent } from "cloudservices-sdk";

// During a rotation, both secrets are valid.
const secrets = [process.env.WEBHOOK_SECRET, process.env.WEBHOOK_SECRET_OLD].filter(
  (secret) => secret !== undefined,
);
if (secrets.length === 0) throw new Error("Set WEBHOOK_SECRET to the secret of the webhook.");

/** Ids of recent events: delivery is at least once, so an event may arrive twice. Use a database to keep them longer. */
const handled = new Set();

/** @param {import("cloudservices-sdk").CloudServicesEvent} event */
function handle(event) {
  switch (event.type) {
    case "database.backup.completed":
      console.log(`backup ${event.data.backupId} of ${event.data.databaseName}: ${event.data.sizeMb} MB`);
      break;
    case "database.backup.failed":
    case "vps.snapshot.completed":
      console.log(event.type, event.data);
      break;
    case "other":
      console.log(`ignored ${event.event}`);
  }
}

const server = createServer(async (request, response) => {
  try {
    const event = await receiveEvent(request, secrets);
    if (!handled.has(event.id)) handle(event);
    handled.add(event.id);
    if (handled.size > 10_000) handled.delete(handled.values().next().value);
    response.writeHead(204).end();
  } catch (error) {
    const rejected = error instanceof EventVerificationError;
    console.error(rejected ? error.message : error);
    // The specification shows no retries. The sandbox delivers again after every status but 2xx.
    response.writeHead(rejected ? 400 : 500, { connection: "close" }).end();
  }
});

server.listen(Number(process.env.PORT ?? 8080), process.env.HOST ?? "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object") console.log(`listening on port ${address?.port}`);
});
process.on("SIGTERM", () => server.close(() => process.exit()));
