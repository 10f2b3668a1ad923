import { type Random, randomText } from "../../core/ids.js";
import type { DatabaseEngine } from "./engine.js";

const ports: Readonly<Record<string, number>> = {
  postgresql: 5432,
  mysql: 3306,
  redis: 6379,
  valkey: 6379,
  mongodb: 27017,
};

/** Simulates databases. Their hosts end in `.invalid`, so that no client mistakes them for real. */
export function simulatedEngine(random: Random): DatabaseEngine {
  return {
    provision: (database) => ({
      database: databaseName(database.name),
      username: `user_${randomText(random, 8)}`,
      password: randomText(random, 24),
    }),
    adjust: () => undefined,
    drop: () => undefined,
    dump: () => undefined,
    restore: async ({ id }) => {
      throw new Error(`The database "${id}" is simulated: it holds nothing.`);
    },
    address: ({ id, engine, region }) => {
      const label = id.replaceAll("_", "-");
      return {
        host: `${label}.${region}.simulated.invalid`,
        port: ports[engine] ?? 5432,
        poolHost: `${label}-pool.${region}.simulated.invalid`,
        poolPort: 6432,
        parameters: engine === "postgresql" ? "?sslmode=require" : "",
      };
    },
    ports: () => [],
    trouble: () => undefined,
    start: async () => {},
    close: async () => {},
  };
}

/** Returns a name that every engine accepts unquoted. */
function databaseName(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, 40);
  return /^[a-z]/.test(plain) ? plain : `db_${plain}`.replace(/_$/, "");
}
