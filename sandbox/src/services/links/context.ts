import type { IpContext } from "../ip/context.js";

export interface LinksContext extends IpContext {
  /** `{default_short_domain}` of the specification: host and port of the redirecting server. */
  readonly shortDomain: string;
  /** Whether the sandbox itself listens under a host, with or without a port. */
  readonly isOwnHost: (host: string) => boolean;
}
