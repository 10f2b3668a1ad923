import type { Credentials } from "../state/rows.js";

const schemes: Readonly<Record<string, string>> = {
  postgresql: "postgresql",
  mysql: "mysql",
  redis: "rediss",
  valkey: "rediss",
  mongodb: "mongodb",
};

/** Specification: "carries the password". */
export function connectionUri(engine: string, at: Credentials): string {
  return uri(engine, at, at.host, at.port);
}

/** Specification: "pooled address on a different host and port, carries the password". */
export function poolUri(engine: string, at: Credentials): string {
  return uri(engine, at, at.pool_host, at.pool_port);
}

function uri(engine: string, at: Credentials, host: string, port: number): string {
  const scheme = schemes[engine] ?? engine;
  return `${scheme}://${at.username}:${at.password}@${host}:${port}/${at.database}${at.uri_parameters}`;
}
