import type { Context } from "../../core/context.js";

export interface InboxesContext extends Context {
  /** Domains of inboxes; the first is `{temp_mail_domain}` of the specification. */
  readonly mailDomains: readonly string[];
}
