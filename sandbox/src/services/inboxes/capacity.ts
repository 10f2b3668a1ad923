import { ApiError } from "../../core/errors.js";
import type { Rows } from "../../state/rows.js";

/** Messages that an inbox holds. */
export const MAX_MESSAGES = 1_000;

/** Characters that the messages of an inbox hold together: some ten of the largest mails. */
export const MAX_CHARACTERS = 100 * 1024 * 1024;

/** The inbox takes no more mail. An acknowledged message is never dropped to make room. */
export class InboxFullError extends ApiError {
  constructor(address: string) {
    super(
      409,
      "CONFLICT",
      `The inbox ${address} is full: it holds ${MAX_MESSAGES} messages, or ${MAX_CHARACTERS} characters. Make another one.`,
    );
  }
}

type Content = Pick<Rows["messages"], "html_body" | "text_body" | "snippet" | "parsed_links">;

/** The length of what makes a message large. */
export function contentLength({ html_body, text_body, snippet, parsed_links }: Content): number {
  const links = parsed_links.reduce((sum, link) => sum + link.length, 0);
  return html_body.length + text_body.length + snippet.length + links;
}

interface Holding {
  readonly tables: { readonly messages: { find(index: "inbox", inbox: string): Content[] } };
}

/** Whether an inbox takes one more message of this length. */
export function hasRoom({ tables }: Holding, inbox: string, characters: number): boolean {
  const messages = tables.messages.find("inbox", inbox);
  if (messages.length >= MAX_MESSAGES) return false;
  return messages.reduce((sum, message) => sum + contentLength(message), characters) <= MAX_CHARACTERS;
}
