/** Fixed, because resources remember the base URL they were created at. */
export const DEFAULT_PORT = 4780;

/** A flag of the command, and an environment variable of the same meaning. */
interface Flag {
  /** What the flag takes, as the help shows it. A flag without a value is a switch. */
  readonly value?: string;
  readonly isRepeatable?: boolean;
  readonly about: string;
}

/** All flags with a meaning for a start. The help, the parser and the environment variables are made from them. */
const flags = {
  port: { value: "number", about: `port of the API, 0 for a free one (default ${DEFAULT_PORT})` },
  host: { value: "address", about: "address to listen on (default 127.0.0.1: this machine only)" },
  "host-name": { value: "name", isRepeatable: true, about: "additional accepted host name; repeatable" },
  "public-host": {
    value: "host",
    about: "host in all addresses and the certificate; PostgreSQL then listens on --host, too",
  },
  "cors-origin": {
    value: "origin",
    isRepeatable: true,
    about: "origin whose web pages may use the API, or *; repeatable",
  },
  profile: { value: "name", about: "conventional (default) or documented: only the specification" },
  "provisioning-ms": { value: "number", about: "how long databases and servers take (default 2000)" },
  data: { value: "folder", about: "store everything in this folder (default: in memory)" },
  "compact-after": { value: "bytes", about: "journal size that triggers a snapshot (default 32 MiB)" },
  postgres: { value: "how", about: "real (default) or simulated" },
  "postgres-port": { value: "number", about: "port of PostgreSQL (default: the API's + 1)" },
  "pool-port": { value: "number", about: "port of its connection pool (default: the API's + 2)" },
  "smtp-port": { value: "number", about: "port of SMTP (default: the API's + 3)" },
  "offer-starttls": { about: "offer STARTTLS to senders, which must then trust the root certificate" },
  import: { value: "file", about: "downloaded state to begin with, where there are no resources yet" },
  seed: { value: "path", about: "JSON file of initial resources, or a folder of them" },
  "outbound-host": {
    value: "host",
    isRepeatable: true,
    about: "host that webhooks and the relay may reach beside this machine; repeatable",
  },
  "allow-outbound": { about: "let webhooks, the relay and DNS lookups leave this machine" },
  "name-server": {
    value: "address",
    isRepeatable: true,
    about: "name server to use then (default: the system's); repeatable",
  },
  "idempotency-keys": { about: "support Idempotency-Key, which the specification lacks" },
  "summary-lists": { about: "list only identifying fields" },
} as const satisfies Readonly<Record<string, Flag>>;

export type FlagName = keyof typeof flags;

/** The same table without the literal types. */
export const flagTable: Readonly<Record<FlagName, Flag>> = flags;

export const flagNames: readonly FlagName[] = Object.keys(flags).filter(isFlagName);

const PREFIX = "CLOUDSERVICES_SANDBOX_";

/** Returns the environment variable of a flag. */
export function variableOf(flag: FlagName): string {
  return PREFIX + flag.toUpperCase().replaceAll("-", "_");
}

/** Returns variables that look like a flag's but belong to none, such as misspelt ones. */
export function unknownVariables(environment: Environment): string[] {
  const known = new Set(flagNames.map(variableOf));
  return Object.keys(environment).filter(
    (name) => name.startsWith(PREFIX) && !known.has(name) && !OF_KUBERNETES.test(name),
  );
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Kubernetes sets these in every pod beside a Service of the name `cloudservices-sandbox`. */
const OF_KUBERNETES = /^CLOUDSERVICES_SANDBOX_(SERVICE_|PORT_\d)/;

/** Returns the value of a flag's variable; an empty one counts as absent. */
export function fromEnvironment(environment: Environment, flag: FlagName): string | undefined {
  const text = environment[variableOf(flag)];
  // Kubernetes: `…_PORT=tcp://10.0.0.1:4780`.
  return text === "" || (flag === "port" && text?.includes("://")) ? undefined : text;
}

export const usage = `Usage: cloudservices-sandbox [flags]
       cloudservices-sandbox health [flags]   exit code 0 if the sandbox of these flags is healthy

The Cloud Services Developer API on this machine.

${flagNames.map(describe).join("\n")}
  --help, --version

Each flag can be an environment variable instead: --postgres-port is ${variableOf("postgres-port")}.
Lists are separated by commas; switches are true or false. A flag takes precedence.
`;

function describe(name: FlagName): string {
  const { value, about } = flagTable[name];
  return `  ${`--${name}${value === undefined ? "" : ` <${value}>`}`.padEnd(26)}  ${about}`;
}

function isFlagName(name: string): name is FlagName {
  return Object.hasOwn(flags, name);
}
