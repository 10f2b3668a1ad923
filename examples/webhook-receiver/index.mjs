// Receives notifications on plain node:http: WEBHOOK_SECRET=... PORT=8080 node index.mjs
import { createServer } from "node:http";
import { EventVerificationError, receiveEvent } from "cloudservices-sdk";

// While the secret is being changed, the old one holds too.
const secrets = [process.env.WEBHOOK_SECRET, process.env.WEBHOOK_SECRET_OLD].filter(
  (secret) => secret !== undefined,
);
if (secrets.length === 0)
  throw new Error("Set WEBHOOK_SECRET to the secret that the webhook was registered with.");

/** Ids of the last events: whoever delivers at least once may deliver twice. A database would remember them longer. */
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
      console.log(`no use for ${event.event}`);
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
    const refused = error instanceof EventVerificationError;
    console.error(refused ? error.message : error);
    // A 400 is final; after a 500 it is worth another delivery.
    response.writeHead(refused ? 400 : 500, { connection: "close" }).end();
  }
});

server.listen(Number(process.env.PORT ?? 8080), process.env.HOST ?? "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object") console.log(`listening on port ${address?.port}`);
});
process.on("SIGTERM", () => server.close(() => process.exit()));
