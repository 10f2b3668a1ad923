import { apiKeyProblem, type BaseUrlProblem, parseBaseUrl } from "cloudservices-sdk";
import { z } from "zod";
import type { SettingName } from "./setting-names.js";

/** `conventional` adds ordinary REST routes to the specification's; `documented` uses only the latter. */
export type ApiMode = "conventional" | "documented";

/** The configuration of one stack, read once in each process. Times are in milliseconds. */
export interface Settings {
  /** The API key. Required. */
  readonly apiKey: string;
  /** The address of the service, up to the version: https, or http for this machine only. Anything else is rejected before the key is sent. Required. */
  readonly baseUrl: string;
  /** Which requests are allowed. `conventional` adds ordinary REST routes, `documented` uses only requests from the specification. Default: `conventional`. */
  readonly api: ApiMode;
  /** What to do with a resource that cannot be deleted. `abandon` drops it from the state with a warning that names its id, except after a 404 without the service's error code, which a gateway may have sent. Default: `error`. */
  readonly undeletable: "error" | "abandon";
  /** `allow` creates a database, server or webhook although the service has one that may be the same, and uses the next derived name where one is taken (`--replace`, taint). Default: `error`. */
  readonly duplicates: "error" | "allow";
  /** A part of derived names, for stacks of the same name on one account. */
  readonly namespace: string | undefined;
  /** Whether to take over what an interrupted run left under a derived name, instead of stopping. Default: `false`. */
  readonly adoptInterrupted: boolean;
  /** The former addresses of the same service. */
  readonly formerBaseUrls: readonly string[];
  /** Whether to accept "not found" although the API key has changed since the resource was last seen. Default: `false`. */
  readonly acceptKeyChange: boolean;
  /** Whether to send an `Idempotency-Key` with creations and retry them, for a service that is known to honour it. Default: `false`. */
  readonly idempotencyKeys: boolean;
  /** Whether to accept a plan, image, version or event that looks misspelt, without a warning. An unlisted value that resembles no listed one always passes, with a warning. Default: `false`. */
  readonly allowUnlisted: boolean;
  /** The number of retries of a request after the first attempt. Default: 3. */
  readonly maxRetries: number | undefined;
  /** The milliseconds for one attempt of a request. Default: 60000. */
  readonly requestTimeout: number | undefined;
  /** The milliseconds between the first two polls; later pauses grow. Default: 1000. */
  readonly pollInterval: number | undefined;
  /** The number of requests in flight at a time. After a 429, the rate follows the service's limit. Default: 16. */
  readonly maxConcurrency: number | undefined;
}

const truth = z
  .enum(["true", "false"], { error: "must be true or false" })
  .transform((word) => word === "true");

const wholeNumber = (min: number, max: number, unit: string) => {
  const error = `must be a whole number from ${min} to ${max} (${unit})`;
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error });
};

const wordsFor = (wrong: BaseUrlProblem): string => {
  switch (wrong.problem) {
    case "notAbsolute":
    case "scheme":
      return "must be an absolute https URL that ends with the version, such as https://api.example.com/v1";
    case "credentials":
    case "query":
      return "must have no user, password, query or fragment";
    case "unencrypted":
      return `would send the API key unencrypted to ${wrong.host}. Use https; http is for this machine only`;
  }
};

/** A base URL in the sdk's canonical spelling, so that settings and stored state can be compared. */
const baseUrl = z.string().transform((value, context) => {
  const read = parseBaseUrl(value);
  if (!("problem" in read)) return read.href;
  context.addIssue({ code: "custom", message: wordsFor(read) });
  return z.NEVER;
});

/** Parses a list with commas, or a JSON array. */
function listed(value: string): unknown {
  if (!value.trimStart().startsWith("[")) return value.split(",").map((item) => item.trim());
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

const addresses = z
  .string()
  .transform(listed)
  .pipe(z.array(baseUrl, { error: "must be a list of base URLs, separated by commas" }));

/** The settings with their rules; the environment variable is the fallback for the stack's configuration. */
export const settingRules = {
  apiKey: {
    variable: "CLOUDSERVICES_API_KEY",
    secret: true,
    schema: z.string().refine((key) => apiKeyProblem(key) === undefined, {
      error: "must be printable ASCII without spaces or line ends (trailing newline?)",
    }),
  },
  baseUrl: { variable: "CLOUDSERVICES_BASE_URL", schema: baseUrl },
  api: {
    variable: "CLOUDSERVICES_API",
    schema: z.enum(["conventional", "documented"], { error: "must be conventional or documented" }),
  },
  undeletable: { schema: z.enum(["error", "abandon"], { error: "must be error or abandon" }) },
  duplicates: { schema: z.enum(["error", "allow"], { error: "must be error or allow" }) },
  namespace: { schema: z.string().min(1, { error: "must not be empty" }) },
  adoptInterrupted: { variable: "CLOUDSERVICES_ADOPT_INTERRUPTED", schema: truth },
  formerBaseUrls: { schema: addresses },
  acceptKeyChange: { schema: truth },
  idempotencyKeys: { schema: truth },
  allowUnlisted: { schema: truth },
  maxRetries: { schema: wholeNumber(0, 20, "retries after the first try") },
  requestTimeout: { schema: wholeNumber(100, 600_000, "milliseconds") },
  pollInterval: { schema: wholeNumber(10, 600_000, "milliseconds") },
  maxConcurrency: { schema: wholeNumber(1, 1_000, "requests at a time") },
} as const satisfies Readonly<Record<SettingName, SettingRule>>;

/** How a setting is read. */
export interface SettingRule {
  readonly schema: z.ZodType;
  /** The environment variable that applies where the stack has no value. */
  readonly variable?: string;
  /** No message may show the value. */
  readonly secret?: true;
}
