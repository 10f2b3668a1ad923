import type { Progressions } from "./control/progressions.js";
import type { Dumps } from "./databases/dumps.js";
import type { DatabaseEngine } from "./databases/engine.js";
import type { Outbound } from "./deliveries/outbound.js";
import type { Random } from "./identity.js";
import type { Clock } from "./state/clock.js";
import type { Store } from "./state/store.js";
import type { Addresses } from "./utilities/ip.js";
import type { NameServers } from "./utilities/name-servers.js";
import type { Works } from "./works.js";

export type Profile = "conventional" | "documented";

/** What an operation can reach, and nothing else. */
export interface World {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly profile: Profile;
  readonly progressions: Progressions;
  readonly databases: DatabaseEngine;
  /** The dumps of backups. */
  readonly dumps: Dumps;
  /** `{base_url}` of the specification: ends with `/v1`. */
  readonly baseUrl: string;
  /** `{default_short_domain}` of the specification: host and port of the redirecting server. */
  readonly shortDomain: string;
  /** Whether a host, with or without a port, is a name under which the sandbox itself listens. */
  readonly isOwnHost: (host: string) => boolean;
  /** The domains on which inboxes can be made; the first is `{temp_mail_domain}`. */
  readonly mailDomains: readonly string[];
  /** List items show only what identifies them, for clients that must not rely on more. */
  readonly summaryLists: boolean;
  readonly outbound: Outbound;
  readonly addresses: Addresses;
  /** Absent where nothing may leave this machine. */
  readonly nameServers: Pick<NameServers, "ask"> | undefined;
  /** What goes on beside the requests: databases being made, notifications being sent. */
  readonly works: Works;
  /** Resolves when everything committed so far is as durable as it will be. */
  durable(): Promise<void>;
  /** Tells whoever runs the sandbox of an error that nobody waits for. */
  report(error: unknown): void;
  /** Lets what is due by the virtual clock happen. */
  runDue(): void;
}
