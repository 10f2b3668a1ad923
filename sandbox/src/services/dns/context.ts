import type { Context } from "../../core/context.js";
import type { NameServers } from "./name-servers.js";

export interface DnsContext extends Context {
  /** Absent where no request may leave this machine. */
  readonly nameServers: Pick<NameServers, "query"> | undefined;
}
