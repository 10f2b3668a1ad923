import { z } from "zod";
import { parseNameServer } from "./services/dns/name-servers.js";

const milliseconds = z.int().min(0).max(86_400_000);
const port = z.int().min(0).max(65_535);

const nameServer = z.string().transform((text, context) => {
  const server = parseNameServer(text);
  if (server) return server;
  context.addIssue({ code: "custom", message: "expected an IP address, with a port or without" });
  return z.NEVER;
});

const optionsSchema = z.strictObject({
  port: port.default(0),
  host: z.string().min(1).default("127.0.0.1"),
  hostNames: z.array(z.string().min(1)).default([]),
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
  allowOutbound: z.boolean().default(false),
  nameServers: z.array(nameServer).min(1).optional(),
  smtpPort: port.optional(),
  idempotencyKeys: z.boolean().default(false),
  summaryLists: z.boolean().default(false),
  mailDomains: z.array(z.string().min(1).toLowerCase()).min(1).default(["tempmail.test", "inbox.test"]),
  rateLimit: z.strictObject({ requests: z.int().min(1), perMs: z.int().min(1) }).optional(),
});

export type Settings = z.output<typeof optionsSchema>;

/** What `startSandbox` takes; every member has a default. */
export interface SandboxOptions {
  /** TCP port; 0 (the default) takes a free one. */
  readonly port?: number;
  /** Address to listen on. Default: `127.0.0.1`, so that nobody else on the network can call. */
  readonly host?: string;
  /** Further names that the Host header may hold, beside the loopback ones. */
  readonly hostNames?: readonly string[];
  /** `conventional` (default) completes the specification; `documented` serves it and nothing else. */
  readonly profile?: "conventional" | "documented";
  /** How long things take, in virtual milliseconds. Defaults: 20, 20, 20 and 0. */
  readonly provisioning?: {
    readonly databaseMs?: number;
    readonly vpsMs?: number;
    readonly vpsActionMs?: number;
    readonly deletionMs?: number;
  };
  /** A folder in which everything is kept; it survives kill -9. Default: memory only. */
  readonly data?: string;
  /** A journal in that folder longer than this gives way to a snapshot. Default: 32 MiB. */
  readonly compactAfterBytes?: number;
  /**
   * `real`: PostgreSQL databases are real, on a bundled server that starts with the first of them. `simulated`
   * (default): their hosts end in `.invalid`, and nothing is started.
   */
  readonly postgres?: "real" | "simulated";
  /** Ports of the real PostgreSQL and of its pooled address; 0 (the default) takes free ones. */
  readonly postgresPort?: number;
  readonly postgresPoolPort?: number;
  /** Lets webhooks, mail pushes, the relay and DNS lookups go off this machine. Default: false. */
  readonly allowOutbound?: boolean;
  /**
   * Recursive name servers for what a tenant's zone has no name for: IP addresses, with a port or without. Only
   * together with `allowOutbound`. Default: those of the system.
   */
  readonly nameServers?: readonly string[];
  /** Port on which mail is taken over SMTP; 0 takes a free one. Default: mail comes through `sendMail` only. */
  readonly smtpPort?: number;
  /**
   * Answers a creation that is sent again with the same `Idempotency-Key` as before. Default: false, because the
   * specification knows no such header.
   */
  readonly idempotencyKeys?: boolean;
  /** List items show only what identifies them. Default: false. */
  readonly summaryLists?: boolean;
  /** Domains of inboxes, the default one first. Default: `tempmail.test`, `inbox.test`. */
  readonly mailDomains?: readonly string[];
  /** A rate limit for each tenant. Default: none. */
  readonly rateLimit?: { readonly requests: number; readonly perMs: number };
}

/** The options with every default; what is wrong with them is told in words. */
export function parseOptions(options: SandboxOptions): Settings {
  const parsed = optionsSchema.safeParse(options);
  if (!parsed.success)
    throw new TypeError(`The options of the sandbox are wrong: ${z.prettifyError(parsed.error)}`);
  if (parsed.data.nameServers && !parsed.data.allowOutbound)
    throw new TypeError(
      "Name servers are asked only where the sandbox may go off this machine: add --allow-outbound (allowOutbound).",
    );
  return parsed.data;
}
