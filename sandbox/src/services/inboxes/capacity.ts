import { ApiError } from "../../core/errors.js";
import type { Rows } from "../../state/rows.js";

/** Maximum number of messages in an inbox. */
export const MAX_MESSAGES = 1_000;

/** Maximum characters of all messages in an inbox, with their sources: at least five of the largest mails. */
export const MAX_CHARACTERS = 100 * 1024 * 1024;

/** A full inbox rejects mail. It never drops an accepted message to make room. */
export class InboxFullError extends ApiError {
  constructor(address: string) {
    super(
      409,
      "CONFLICT",
      `The inbox ${address} is full: it holds at most ${MAX_MESSAGES} messages and ${MAX_CHARACTERS} characters. Create another inbox.`,
    );
  }
}

type Content = Pick<Rows["messages"], "html_body" | "text_body" | "snippet" | "parsed_links" | "raw">;

/** Returns the length of a message's large parts. */
export function contentLength({ html_body, text_body, snippet, parsed_links, raw = "" }: Content): number {
  const links = parsed_links.reduce((sum, link) => sum + link.length, 0);
  return html_body.length + text_body.length + snippet.length + links + raw.length;
}

interface Holding {
  readonly tables: { readonly messages: { find(index: "inbox", inbox: string): Content[] } };
}

/** Returns whether an inbox has room for one more message of this length. */
export function hasRoom({ tables }: Holding, inbox: string, characters: number): boolean {
  const messages = tables.messages.find("inbox", inbox);
  if (messages.length >= MAX_MESSAGES) return false;
  return messages.reduce((sum, message) => sum + contentLength(message), characters) <= MAX_CHARACTERS;
}
