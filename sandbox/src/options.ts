import { isIP } from "node:net";
import { z } from "zod";
import { parsedUrl } from "./core/parsed-url.js";
import { parseNameServer } from "./services/dns/name-servers.js";

const milliseconds = z.int().min(0).max(86_400_000);
const port = z.int().min(0).max(65_535);

const nameServer = z.string().transform((text, context) => {
  const server = parseNameServer(text);
  if (server) return server;
  context.addIssue({ code: "custom", message: "expected an IP address, with a port or without" });
  return z.NEVER;
});

const HOST_NAME = /^[a-z0-9]([a-z0-9_-]{0,62})(\.[a-z0-9]([a-z0-9_-]{0,62}))*$/;

const host = z
  .string()
  .max(253)
  .toLowerCase()
  .refine((text) => isIP(text) !== 0 || HOST_NAME.test(text), "expected a host name or an IP address")
  .transform(canonicalHost);

/** `*`, or an origin as browsers send it. */
const webOrigin = z.string().transform((text, context) => {
  const url = parsedUrl(text);
  if (text === "*") return text;
  if (url && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href) return url.origin;
  context.addIssue({ code: "custom", message: 'expected an origin such as https://app.example.com, or "*"' });
  return z.NEVER;
});

const optionsSchema = z.strictObject({
  port: port.default(0),
  host: z.string().min(1).default("127.0.0.1"),
  hostNames: z.array(z.string().min(1)).default([]),
  publicHost: host.optional(),
  corsOrigins: z.array(webOrigin).default([]),
  profile: z.enum(["conventional", "documented"]).default("conventional"),
  provisioning: z
    .strictObject({
      databaseMs: milliseconds.default(20),
      vpsMs: milliseconds.default(20),
      vpsActionMs: milliseconds.default(20),
      deletionMs: milliseconds.default(0),
    })
    .prefault({}),
  data: z.string().min(1).optional(),
  compactAfterBytes: z
    .int()
    .min(1)
    .default(32 * 1024 * 1024),
  postgres: z.enum(["real", "simulated"]).default("simulated"),
  postgresPort: port.default(0),
  postgresPoolPort: port.default(0),
  outboundHosts: z.array(host).default([]),
  allowOutbound: z.boolean().default(false),
  nameServers: z.array(nameServer).min(1).optional(),
  smtpPort: port.optional(),
  offerStartTls: z.boolean().default(false),
  idempotencyKeys: z.boolean().default(false),
  summaryLists: z.boolean().default(false),
  mailDomains: z.array(z.string().min(1).toLowerCase()).min(1).default(["tempmail.test", "inbox.test"]),
  rateLimit: z.strictObject({ requests: z.int().min(1), perMs: z.int().min(1) }).optional(),
});

export type Settings = z.output<typeof optionsSchema>;

/** Returns an IPv6 address as the Host header of a client spells it. */
function canonicalHost(host: string): string {
  return isIP(host) === 6 ? new URL(`http://[${host.replace(/%.*$/, "")}]/`).hostname.slice(1, -1) : host;
}

/** Options of `startSandbox`; all have defaults. */
export interface SandboxOptions {
  /** TCP port. Default: 0, any free port. */
  readonly port?: number;
  /** Address to listen on. Default: `127.0.0.1`, unreachable from other machines. */
  readonly host?: string;
  /** Additional accepted Host header names, beside loopback names. */
  readonly hostNames?: readonly string[];
  /** Origins whose web pages may use the API, such as `https://app.example.com`; `*` allows any. Default: none. */
  readonly corsOrigins?: readonly string[];
  /**
   * The host name or IP address under which other machines reach the sandbox, without a port: it is in all addresses
   * of responses and in the certificate, and PostgreSQL then listens on `host`, too. Default: the listening address.
   */
  readonly publicHost?: string;
  /** `conventional` (default) completes the specification; `documented` serves only what it shows. */
  readonly profile?: "conventional" | "documented";
  /** Durations in virtual milliseconds. Defaults: 20, 20, 20 and 0. */
  readonly provisioning?: {
    readonly databaseMs?: number;
    readonly vpsMs?: number;
    readonly vpsActionMs?: number;
    readonly deletionMs?: number;
  };
  /** Folder for all state, which then survives `kill -9`. Default: in memory. */
  readonly data?: string;
  /** Journal size in bytes after which a snapshot replaces it. Default: 32 MiB. */
  readonly compactAfterBytes?: number;
  /**
   * `real`: a bundled PostgreSQL that starts with the first database. `simulated` (default): hosts end in `.invalid`,
   * and no server starts.
   */
  readonly postgres?: "real" | "simulated";
  /** Ports of the real PostgreSQL and its pooled address. Default: 0, any free ports. */
  readonly postgresPort?: number;
  readonly postgresPoolPort?: number;
  /**
   * Hosts beside this machine that webhooks, mail pushes and the relay may reach, over http, too, such as the other
   * containers of a network. Default: none.
   */
  readonly outboundHosts?: readonly string[];
  /** Allows webhooks, mail pushes, the relay and DNS lookups to leave this machine. Default: false. */
  readonly allowOutbound?: boolean;
  /**
   * Recursive name servers for names outside a tenant's zone: IP addresses, optionally with ports. Requires
   * `allowOutbound`. Default: the system's.
   */
  readonly nameServers?: readonly string[];
  /** SMTP port; 0 takes a free one. Default: no SMTP; mail arrives through `sendMail` only. */
  readonly smtpPort?: number;
  /**
   * Offers STARTTLS to senders, which must then trust the root certificate. Default: false; the command works without
   * an offer.
   */
  readonly offerStartTls?: boolean;
  /**
   * Repeats the response to a repeated `Idempotency-Key`. Default: false, since the specification has no such header.
   */
  readonly idempotencyKeys?: boolean;
  /** Lists show only identifying fields. Default: false. */
  readonly summaryLists?: boolean;
  /** Domains of inboxes, default first. Default: `tempmail.test`, `inbox.test`. */
  readonly mailDomains?: readonly string[];
  /** A rate limit for each tenant. Default: none. */
  readonly rateLimit?: { readonly requests: number; readonly perMs: number };
}

/**
 * Validates options and adds defaults.
 * @throws TypeError that describes every invalid option.
 */
export function parseOptions(options: SandboxOptions): Settings {
  const parsed = optionsSchema.safeParse(options);
  if (!parsed.success) throw new TypeError(`Invalid sandbox options: ${z.prettifyError(parsed.error)}`);
  if (parsed.data.nameServers && !parsed.data.allowOutbound)
    throw new TypeError("Name servers require --allow-outbound (allowOutbound).");
  return parsed.data;
}
