import { parseArgs } from "node:util";
import {
  DEFAULT_PORT,
  type Environment,
  type FlagName,
  flagNames,
  flagTable,
  fromEnvironment,
  variableOf,
} from "./cli-flag-table.js";
import type { SandboxOptions } from "./options.js";

export type Command =
  | { readonly do: "help" }
  | { readonly do: "version" }
  | { readonly do: "refuse"; readonly why: string }
  | { readonly do: "health"; readonly host: string; readonly port: number }
  | {
      readonly do: "start";
      readonly options: SandboxOptions;
      readonly state?: string;
      readonly seed?: string;
    };

class FlagError extends Error {}

/** Parses a command line and the environment. */
export function parseCommand(args: readonly string[], environment: Environment = {}): Command {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: parserOptions(),
      strict: true,
      allowPositionals: true,
    });
    if (values["help"]) return { do: "help" };
    if (values["version"]) return { do: "version" };
    const [command, ...rest] = positionals;
    if (rest.length > 0 || (command !== undefined && command !== "health"))
      throw new FlagError(`"${rest[0] ?? command}" is neither a flag nor the command "health"`);
    const given = new Given(values, environment);
    const options = optionsOf(given);
    if (command === "health") {
      const { port = 0, host = "127.0.0.1" } = options;
      if (port === 0) throw new FlagError("health needs the port that the sandbox listens on");
      return { do: "health", host, port };
    }
    const [state, seed] = [given.text("import"), given.text("seed")];
    return {
      do: "start",
      options,
      ...(state !== undefined && { state }),
      ...(seed !== undefined && { seed }),
    };
  } catch (error) {
    if (error instanceof FlagError || isParseError(error))
      return { do: "refuse", why: firstSentence(error.message) };
    throw error;
  }
}

function parserOptions() {
  const options: Record<string, { type: "string" | "boolean"; multiple?: boolean; short?: string }> = {
    help: { type: "boolean", short: "h" },
    version: { type: "boolean", short: "v" },
  };
  for (const name of flagNames) {
    const { value, isRepeatable = false } = flagTable[name];
    options[name] = { type: value === undefined ? "boolean" : "string", multiple: isRepeatable };
  }
  return options;
}

function optionsOf(given: Given): SandboxOptions {
  const ms = given.integer("provisioning-ms", 86_400_000) ?? 2000;
  const port = given.integer("port", 65_535) ?? DEFAULT_PORT;
  const compactAfterBytes = given.integer("compact-after", Number.MAX_SAFE_INTEGER);
  const [data, host] = [given.text("data"), given.text("host")];
  const publicHost = given.text("public-host");
  const [hostNames, nameServers] = [given.list("host-name"), given.list("name-server")];
  const outboundHosts = given.list("outbound-host");
  const corsOrigins = given.list("cors-origin");
  return {
    port,
    profile: given.oneOf("profile", "conventional", "documented"),
    postgres: given.oneOf("postgres", "real", "simulated"),
    postgresPort: given.integer("postgres-port", 65_535) ?? portAfter(port, 1),
    postgresPoolPort: given.integer("pool-port", 65_535) ?? portAfter(port, 2),
    provisioning: { databaseMs: ms, vpsMs: ms, vpsActionMs: ms },
    smtpPort: given.integer("smtp-port", 65_535) ?? portAfter(port, 3),
    offerStartTls: given.isOn("offer-starttls"),
    allowOutbound: given.isOn("allow-outbound"),
    idempotencyKeys: given.isOn("idempotency-keys"),
    summaryLists: given.isOn("summary-lists"),
    ...(data !== undefined && { data }),
    ...(compactAfterBytes !== undefined && { compactAfterBytes: Math.max(1, compactAfterBytes) }),
    ...(host !== undefined && { host }),
    ...(publicHost !== undefined && { publicHost }),
    ...(outboundHosts.length > 0 && { outboundHosts }),
    ...(corsOrigins.length > 0 && { corsOrigins }),
    ...(hostNames.length > 0 && { hostNames }),
    ...(nameServers.length > 0 && { nameServers }),
  };
}

type Parsed = Readonly<Record<string, string | boolean | ReadonlyArray<string | boolean> | undefined>>;

/** Reads flags from the command line and then from the environment. An error names the one at fault. */
class Given {
  readonly #values: Parsed;
  readonly #environment: Environment;

  constructor(values: Parsed, environment: Environment) {
    this.#values = values;
    this.#environment = environment;
  }

  text(flag: FlagName): string | undefined {
    const value = this.#values[flag];
    return typeof value === "string" ? value : fromEnvironment(this.#environment, flag);
  }

  list(flag: FlagName): string[] {
    const value = this.#values[flag];
    if (Array.isArray(value)) return value.map(String);
    return (fromEnvironment(this.#environment, flag) ?? "")
      .split(",")
      .map((text) => text.trim())
      .filter((text) => text !== "");
  }

  isOn(flag: FlagName): boolean {
    if (this.#values[flag] !== undefined) return this.#values[flag] === true;
    const text = fromEnvironment(this.#environment, flag) ?? "false";
    if (text === "true" || text === "1") return true;
    if (text === "false" || text === "0") return false;
    throw new FlagError(`${variableOf(flag)} takes true or false, not "${text}"`);
  }

  integer(flag: FlagName, maximum: number): number | undefined {
    const text = this.text(flag);
    if (text === undefined) return undefined;
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(number <= maximum))
      throw new FlagError(`${this.#nameOf(flag)} takes a whole number from 0 to ${maximum}, not "${text}"`);
    return number;
  }

  /** Returns one of two words; the first is the default. */
  oneOf<A extends string, B extends string>(flag: FlagName, first: A, second: B): A | B {
    const text = this.text(flag);
    if (text === undefined || text === first) return first;
    if (text === second) return second;
    throw new FlagError(`${this.#nameOf(flag)} takes ${first} or ${second}, not "${text}"`);
  }

  #nameOf(flag: FlagName): string {
    return this.#values[flag] === undefined ? variableOf(flag) : `--${flag}`;
  }
}

/** Returns the port `step` after the API's; 0 (any free port) where the API's is 0. */
function portAfter(port: number, step: number): number {
  return port === 0 ? 0 : Math.min(port + step, 65_535);
}

function isParseError(error: unknown): error is Error {
  return error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
}

function firstSentence(message: string): string {
  return message.split(/\.\s|\n/)[0] ?? message;
}
