import type { DatabasesContext } from "./databases/context.js";
import type { DnsContext } from "./dns/context.js";
import type { InboxesContext } from "./inboxes/context.js";
import type { LinksContext } from "./links/context.js";
import type { WebhooksContext } from "./webhooks/context.js";

/** The context of all services. */
export interface ServicesContext
  extends LinksContext,
    DatabasesContext,
    InboxesContext,
    WebhooksContext,
    DnsContext {}
