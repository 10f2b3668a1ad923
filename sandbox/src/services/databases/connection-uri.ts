import type { Credentials } from "../../state/rows.js";
import type { Address } from "./engine.js";

const schemes: Readonly<Record<string, string>> = {
  postgresql: "postgresql",
  mysql: "mysql",
  redis: "rediss",
  valkey: "rediss",
  mongodb: "mongodb",
};

/** Specification: "carries the password". */
export function connectionUri(engine: string, who: Credentials, at: Address): string {
  return uri(engine, who, at.host, at.port, at.parameters);
}

/** Specification: "pooled address on a different host and port, carries the password". */
export function poolUri(engine: string, who: Credentials, at: Address): string {
  return uri(engine, who, at.poolHost, at.poolPort, at.parameters);
}

function uri(engine: string, who: Credentials, host: string, port: number, parameters: string): string {
  const scheme = schemes[engine] ?? engine;
  return `${scheme}://${who.username}:${who.password}@${host.includes(":") ? `[${host}]` : host}:${port}/${who.database}${parameters}`;
}
