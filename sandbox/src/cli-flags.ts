import { parseArgs } from "node:util";
import type { SandboxOptions } from "./options.js";

/** Fixed, because resources remember the base URL they were created at. */
const DEFAULT_PORT = 4780;

export type Command =
  | { readonly do: "help" }
  | { readonly do: "version" }
  | { readonly do: "refuse"; readonly why: string }
  | { readonly do: "start"; readonly options: SandboxOptions; readonly seedFile?: string };

export const usage = `Usage: cloudservices-sandbox [flags]

The Cloud Services Developer API on this machine.

  --port <number>             port of the API, 0 for a free one (default ${DEFAULT_PORT})
  --host <address>            address to listen on (default 127.0.0.1: this machine only)
  --host-name <name>          additional accepted host name; repeatable
  --profile <name>            conventional (default) or documented: only the specification
  --provisioning-ms <number>  how long databases and servers take (default 2000)
  --data <folder>             store everything in this folder (default: in memory)
  --compact-after <bytes>     journal size that triggers a snapshot (default 32 MiB)
  --postgres <how>            real (default) or simulated
  --postgres-port <number>    port of PostgreSQL (default: the API's + 1)
  --pool-port <number>        port of its connection pool (default: the API's + 2)
  --smtp-port <number>        port of SMTP (default: the API's + 3)
  --seed <file>               JSON file of initial resources
  --allow-outbound            let webhooks, the relay and DNS lookups leave this machine
  --name-server <address>     name server to use then (default: the system's); repeatable
  --idempotency-keys          support Idempotency-Key, which the specification lacks
  --summary-lists             list only identifying fields
  --help, --version
`;

/** The flags as `parseArgs` takes them. */
export const flags = {
  port: { type: "string" },
  host: { type: "string" },
  "host-name": { type: "string", multiple: true },
  profile: { type: "string" },
  "provisioning-ms": { type: "string" },
  data: { type: "string" },
  "compact-after": { type: "string" },
  postgres: { type: "string" },
  "postgres-port": { type: "string" },
  "pool-port": { type: "string" },
  "smtp-port": { type: "string" },
  seed: { type: "string" },
  "allow-outbound": { type: "boolean" },
  "name-server": { type: "string", multiple: true },
  "idempotency-keys": { type: "boolean" },
  "summary-lists": { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "v" },
} as const;

class FlagError extends Error {}

/** Parses a command line. */
export function parseCommand(args: readonly string[]): Command {
  try {
    const { values } = parseArgs({ args: [...args], options: flags, allowPositionals: false });
    if (values.help) return { do: "help" };
    if (values.version) return { do: "version" };
    const ms = parseInteger("provisioning-ms", values["provisioning-ms"], 86_400_000) ?? 2000;
    const port = parseInteger("port", values.port, 65_535) ?? DEFAULT_PORT;
    const compactAfterBytes = parseInteger("compact-after", values["compact-after"], Number.MAX_SAFE_INTEGER);
    return {
      do: "start",
      ...(values.seed !== undefined && { seedFile: values.seed }),
      options: {
        port,
        profile: oneOf("profile", values.profile, "conventional", "documented"),
        postgres: oneOf("postgres", values.postgres, "real", "simulated"),
        postgresPort: parseInteger("postgres-port", values["postgres-port"], 65_535) ?? portAfter(port, 1),
        postgresPoolPort: parseInteger("pool-port", values["pool-port"], 65_535) ?? portAfter(port, 2),
        provisioning: { databaseMs: ms, vpsMs: ms, vpsActionMs: ms },
        smtpPort: parseInteger("smtp-port", values["smtp-port"], 65_535) ?? portAfter(port, 3),
        allowOutbound: values["allow-outbound"] ?? false,
        idempotencyKeys: values["idempotency-keys"] ?? false,
        summaryLists: values["summary-lists"] ?? false,
        ...(values.data !== undefined && { data: values.data }),
        ...(compactAfterBytes !== undefined && { compactAfterBytes: Math.max(1, compactAfterBytes) }),
        ...(values.host !== undefined && { host: values.host }),
        ...(values["host-name"] !== undefined && { hostNames: values["host-name"] }),
        ...(values["name-server"] !== undefined && { nameServers: values["name-server"] }),
      },
    };
  } catch (error) {
    if (error instanceof FlagError || isParseError(error))
      return { do: "refuse", why: firstSentence(error.message) };
    throw error;
  }
}

function parseInteger(flag: string, text: string | undefined, maximum: number): number | undefined {
  if (text === undefined) return undefined;
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number <= maximum))
    throw new FlagError(`--${flag} takes a whole number from 0 to ${maximum}, not "${text}"`);
  return number;
}

/** Returns the port `step` after the API's; 0 (any free port) where the API's is 0. */
function portAfter(port: number, step: number): number {
  return port === 0 ? 0 : Math.min(port + step, 65_535);
}

/** Returns one of two words; the first is the default. */
function oneOf<A extends string, B extends string>(
  flag: string,
  text: string | undefined,
  first: A,
  second: B,
): A | B {
  if (text === undefined || text === first) return first;
  if (text === second) return second;
  throw new FlagError(`--${flag} takes ${first} or ${second}, not "${text}"`);
}

function isParseError(error: unknown): error is Error {
  return error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
}

function firstSentence(message: string): string {
  return message.split(/\.\s|\n/)[0] ?? message;
}
