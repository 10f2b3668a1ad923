import type { DatabasesContext } from "./databases/context.js";
import type { DnsContext } from "./dns/context.js";
import type { InboxesContext } from "./inboxes/context.js";
import type { LinksContext } from "./links/context.js";
import type { WebhooksContext } from "./webhooks/context.js";

/** What all services together need. */
export interface ServicesContext
  extends LinksContext,
    DatabasesContext,
    InboxesContext,
    WebhooksContext,
    DnsContext {}
