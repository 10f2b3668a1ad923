import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { portOf } from "./port-of.js";

/** A server for the keys of stacks. */
interface KeyServer {
  /** The one key that it has, in base64: for AES-256. */
  readonly key: string;
  /** The environment in which the engine asks it. */
  readonly environment: Readonly<Record<string, string>>;
  close(): void;
}

/** The stack's secrets provider in the engine's words. */
export const SECRETS_PROVIDER = "hashivault://tests";

/**
 * Starts a server that the engine asks for the key as it asks HashiCorp Vault. From a passphrase it would derive the key
 * with a million hashes in each operation, which is a quarter of the operation's time.
 */
export async function startKeyServer(): Promise<KeyServer> {
  const key = randomBytes(32).toString("base64");
  const server = createServer((request, response) => {
    request.resume();
    const isDecryption = request.url === "/v1/transit/decrypt/tests";
    response.writeHead(isDecryption ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(isDecryption ? { data: { plaintext: key } } : { errors: [] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    key,
    environment: { VAULT_SERVER_URL: `http://127.0.0.1:${portOf(server)}`, VAULT_SERVER_TOKEN: "any" },
    close: () => server.close(),
  };
}
