import { type Random, randomText } from "../identity.js";
import type { Credentials, Rows } from "../state/rows.js";
import type { DatabaseEngine } from "./engine.js";

const ports: Readonly<Record<string, number>> = {
  postgresql: 5432,
  mysql: 3306,
  redis: 6379,
  valkey: 6379,
  mongodb: 27017,
};

/** Nothing stands behind these databases, and their hosts end in `.invalid` so that nobody takes them for real. */
export function simulatedEngine(random: Random): DatabaseEngine {
  return {
    provision: (database) => credentialsFor(database, random),
    adjust: () => undefined,
    drop: () => undefined,
  };
}

function credentialsFor(database: Rows["databases"], random: Random): Credentials {
  const label = database.id.replaceAll("_", "-");
  const port = ports[database.engine] ?? 5432;
  return {
    host: `${label}.${database.region}.simulated.invalid`,
    port,
    database: databaseName(database.name),
    username: `user_${randomText(random, 8)}`,
    password: randomText(random, 24),
    pool_host: `${label}-pool.${database.region}.simulated.invalid`,
    pool_port: 6432,
    uri_parameters: database.engine === "postgresql" ? "?sslmode=require" : "",
  };
}

/** A name that every engine takes unquoted. */
export function databaseName(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, 40);
  return /^[a-z]/.test(plain) ? plain : `db_${plain}`.replace(/_$/, "");
}
