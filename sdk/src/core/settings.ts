import type { Dispatcher } from "undici";
import { z } from "zod";
import { type ApiKey, checkedKey } from "./api-key.js";
import { type BaseUrl, checkedBaseUrl } from "./base-url.js";
import { LONGEST } from "./clock.js";
import { ConfigurationError } from "./errors.js";
import type { Fetch } from "./fetch-transport.js";
import { LOG_LEVELS, type Logger, type LogLevel, logToStderr } from "./log.js";
import { proxyIn } from "./proxies.js";
import type { Requirement } from "./reader.js";
import { VERSION } from "./version.js";

/** The options of a client. Only `apiKey` and `baseUrl` are required; both have environment variables. */
export interface ClientOptions {
  /**
   * The API key, or a function that returns the current one for each attempt. Default: the environment variable
   * `CLOUDSERVICES_API_KEY`. Specification: "Authentication".
   */
  readonly apiKey?: ApiKey | undefined;
  /**
   * The address of the API including the version, e.g. `https://api.example.com/v1`; https, or http on a loopback
   * host. Default: the environment variable `CLOUDSERVICES_BASE_URL`. Specification: "Versioning".
   */
  readonly baseUrl?: string | undefined;
  /** `documented` refuses every call that the specification does not show. Default: `conventional`. */
  readonly api?: "conventional" | "documented" | undefined;
  /** The most retries of a failed request, where they are safe. 0 to 100, default 3. */
  readonly maxRetries?: number | undefined;
  /** Milliseconds for one attempt. Default 60,000. */
  readonly timeout?: number | undefined;
  /** Milliseconds for a whole call: queue, attempts and pauses. Default 600,000. */
  readonly deadline?: number | undefined;
  /** The most requests in flight, 1 to 1,000. A 429 lowers it for a while. Default 16. */
  readonly maxConcurrency?: number | undefined;
  /** Milliseconds from the first to the second poll of a wait; later pauses grow. Default 1,000. */
  readonly pollInterval?: number | undefined;
  /**
   * Whether to send an `Idempotency-Key` with each POST and retry it like a GET. Only for a service that is known to
   * honour the header, which the specification does not mention. Default false.
   */
  readonly idempotencyKeys?: boolean | undefined;
  /**
   * Accepts a response that lacks what the specification always shows. Its type then promises more than it has, so check
   * each member. Default false: such a response is an {@link UnreadableResponseError}.
   */
  readonly partialResponses?: boolean | undefined;
  /**
   * An undici dispatcher, e.g. an `Agent` with other TLS options. The client does not close it. Default: the client's
   * own, which uses the proxies in `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`.
   */
  readonly dispatcher?: Dispatcher | undefined;
  /**
   * Sends the requests instead of undici, which is not loaded then: pass `fetch` under Bun, Deno and edge runtimes with
   * the modules of Node.js. Excludes `dispatcher`; proxies are up to the runtime. Whether a failed request was sent is
   * known less often, so more failures are `ambiguous`, and fewer creates are retried. Default: undici.
   */
  readonly fetch?: Fetch | undefined;
  /** The target of the log, e.g. `console`. Default: stderr if `CLOUDSERVICES_LOG` is set, else none. */
  readonly logger?: Logger | undefined;
  /**
   * The log level. Retries are `info`, requests `debug`. Default: the environment variable `CLOUDSERVICES_LOG`, else
   * `warn`.
   */
  readonly logLevel?: LogLevel | undefined;
  /** The beginning of the `User-Agent`, before that of this package, e.g. `my-app/1.2`. */
  readonly userAgent?: string | undefined;
}

/** The checked options with their defaults. */
export interface Settings {
  readonly apiKey: ApiKey;
  readonly baseUrl: BaseUrl;
  readonly documentedOnly: boolean;
  readonly maxRetries: number;
  readonly timeout: number;
  readonly deadline: number;
  readonly maxConcurrency: number;
  readonly pollInterval: number;
  readonly idempotencyKeys: boolean;
  /** What a response must have. */
  readonly required: Requirement;
  readonly dispatcher: Dispatcher | undefined;
  readonly fetch: Fetch | undefined;
  /** The address of a proxy. Absent where the service is reached directly. */
  readonly proxy: string | undefined;
  readonly logger: Logger | undefined;
  readonly logLevel: LogLevel;
  readonly userAgent: string;
}

export const milliseconds = z
  .number()
  .gt(0, "expected more than 0 milliseconds")
  .max(LONGEST, `expected at most ${LONGEST} milliseconds`);
export const retries = z.int().min(0).max(100);

const schema = z.strictObject({
  apiKey: z.union([z.string(), z.function()]).optional(),
  baseUrl: z.string().optional(),
  api: z.enum(["conventional", "documented"]).default("conventional"),
  maxRetries: retries.default(3),
  timeout: milliseconds.default(60_000),
  deadline: milliseconds.default(600_000),
  maxConcurrency: z.int().min(1).max(1000).default(16),
  pollInterval: milliseconds.default(1_000),
  idempotencyKeys: z.boolean().default(false),
  partialResponses: z.boolean().default(false),
  dispatcher: z
    .custom<Dispatcher>((value) => hasMethod(value, "dispatch"), "expected an undici dispatcher")
    .optional(),
  fetch: z
    .custom<Fetch>((value) => typeof value === "function", "expected a function such as fetch")
    .optional(),
  logger: z
    .custom<Logger>(
      (value) => ["error", "warn", "info", "debug"].every((level) => hasMethod(value, level)),
      "expected the methods error, warn, info and debug",
    )
    .optional(),
  logLevel: z.enum(LOG_LEVELS).optional(),
  userAgent: z
    .string()
    .regex(/^[\x20-\x7e]+$/, "expected printable ASCII")
    .optional(),
});

interface WrongOption {
  readonly field: string;
  readonly fact: string;
  readonly advice?: string;
}

/** Returns what is wrong with each option, without its value. */
function factsOf(issue: z.core.$ZodIssue): WrongOption[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((field) => {
      const near = Object.keys(schema.shape).find((name) => plain(name) === plain(field));
      const fact = `there is no option "${field}"`;
      return near === undefined ? { field, fact } : { field, fact, advice: `Did you mean \`${near}\`?` };
    });
  }
  const field = issue.path.map(String).join(".");
  const types: Readonly<Record<string, string>> = { apiKey: "expected a text or a function" };
  const message = types[field] ?? issue.message.replace(/^Invalid (input|option): /, "");
  return [{ field, fact: `${field}: ${message}` }];
}

/** Returns a name as it is compared: `baseURL` and `base_url` are meant to be `baseUrl`. */
const plain = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, "");

/** Returns the checked options of a client. Throws a {@link ConfigurationError}, which never quotes the key. */
export function readSettings(
  options: ClientOptions,
  environment: Readonly<Record<string, string | undefined>>,
): Settings {
  const result = schema.safeParse(options);
  if (!result.success) {
    const wrong = result.error.issues.flatMap(factsOf);
    throw new ConfigurationError({
      message: `The client options are not valid: ${wrong.map(({ fact }) => fact).join("; ")}.`,
      advice: wrong.find(({ advice }) => advice !== undefined)?.advice,
      field: wrong[0]?.field,
    });
  }
  const { api, userAgent, partialResponses, ...rest } = result.data;
  const apiKey = options.apiKey ?? environment["CLOUDSERVICES_API_KEY"];
  const baseUrl = options.baseUrl ?? environment["CLOUDSERVICES_BASE_URL"];
  if (baseUrl === undefined || baseUrl === "") {
    throw new ConfigurationError({
      message: "The base URL is missing.",
      advice: "Set `baseUrl` or CLOUDSERVICES_BASE_URL.",
      field: "baseUrl",
    });
  }
  if (rest.fetch !== undefined && rest.dispatcher !== undefined) {
    throw new ConfigurationError({
      message: "The options `fetch` and `dispatcher` exclude each other.",
      advice: "Remove `dispatcher`, and set its proxy or TLS options in the runtime of `fetch`.",
      field: "fetch",
    });
  }
  const log = levelIn(environment);
  const address = checkedBaseUrl(baseUrl);
  const own = `cloudservices-sdk/${VERSION} node/${process.versions.node}`;
  return {
    ...rest,
    dispatcher: rest.dispatcher,
    fetch: rest.fetch,
    proxy:
      rest.dispatcher === undefined && rest.fetch === undefined ? proxyIn(environment, address) : undefined,
    logger: rest.logger ?? (log === undefined ? undefined : logToStderr),
    logLevel: rest.logLevel ?? log ?? "warn",
    baseUrl: address,
    apiKey: typeof apiKey === "function" ? apiKey : checkedKey(apiKey),
    documentedOnly: api === "documented",
    required: partialResponses ? "ids" : "complete",
    userAgent: userAgent === undefined ? own : `${userAgent} ${own}`,
  };
}

/** Returns the log level that the environment sets. */
function levelIn(environment: Readonly<Record<string, string | undefined>>): LogLevel | undefined {
  const given = environment["CLOUDSERVICES_LOG"];
  if (given === undefined || given === "") return undefined;
  const level = LOG_LEVELS.find((name) => name === given);
  if (level !== undefined) return level;
  throw new ConfigurationError({
    message: "The environment variable CLOUDSERVICES_LOG is not a log level.",
    advice: `Set it to one of ${LOG_LEVELS.join(", ")}.`,
    field: "logLevel",
  });
}

function hasMethod(value: unknown, name: string): boolean {
  if (typeof value !== "object" || value === null) return false;
  const method: unknown = Reflect.get(value, name);
  return typeof method === "function";
}
