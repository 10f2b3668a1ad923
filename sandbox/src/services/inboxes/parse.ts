import PostalMime, { type Address, type Email } from "postal-mime";
import { invalid } from "../../core/errors.js";
import type { Rows } from "../../state/rows.js";
import { extractLinks, extractOtp, makeSnippet } from "./extract.js";
import { htmlToText } from "./html-to-text.js";

/** Common mail servers have similar limits, and the time of a DKIM check grows faster than the header. */
const MAX_HEAD_BYTES = 102_400;

/** The content of a mail, independent of its recipients. */
export interface ParsedMail
  extends Pick<
    Rows["messages"],
    | "subject"
    | "snippet"
    | "html_body"
    | "text_body"
    | "parsed_links"
    | "otp_code"
    | "has_attachments"
    | "headers"
  > {
  /** Absent if the mail has no usable From header. */
  readonly sender: string | undefined;
}

/** An attachment of a mail, decoded. Fields are in wire spelling, as those of a message. */
export interface MailAttachment {
  readonly filename?: string;
  readonly content_type: string;
  /** The Content-ID of an image in an HTML body, without angle brackets. */
  readonly content_id?: string;
  readonly content: Uint8Array;
}

/**
 * Decodes the attachments of a mail.
 * @throws ApiError where it cannot be parsed.
 */
export async function parseAttachments(raw: Uint8Array): Promise<MailAttachment[]> {
  const { attachments } = await parseMime(raw);
  return attachments.map(({ filename, mimeType, contentId, content }) => ({
    ...(filename !== null && filename !== "" && { filename }),
    content_type: mimeType,
    ...(contentId !== undefined && { content_id: contentId.replace(/^<|>$/g, "") }),
    content: typeof content === "string" ? Buffer.from(content) : new Uint8Array(content),
  }));
}

/**
 * Parses a mail.
 * @throws ApiError where it cannot be parsed.
 */
export async function parseMail(raw: Uint8Array): Promise<ParsedMail> {
  const parsed = await parseMime(raw);
  const html = parsed.html ?? "";
  const seen = htmlToText(html);
  const text = parsed.text?.trimEnd() ?? seen.text;
  const subject = parsed.subject ?? "";
  return {
    sender: addressOf(parsed.from),
    subject,
    snippet: makeSnippet(text),
    html_body: html,
    text_body: text,
    parsed_links: extractLinks(text, seen.links),
    otp_code: extractOtp(subject, text),
    has_attachments: parsed.attachments.length > 0,
    headers: {
      "Message-ID": parsed.messageId ?? "",
      ...(parsed.date !== undefined && { Date: parsed.date }),
      Subject: subject,
    },
  };
}

async function parseMime(raw: Uint8Array): Promise<Email> {
  if (headLength(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)) > MAX_HEAD_BYTES)
    throw invalid(`The mail cannot be parsed: its header exceeds ${MAX_HEAD_BYTES} bytes.`);
  try {
    return await PostalMime.parse(raw);
  } catch (error) {
    throw invalid(
      `The mail cannot be parsed: ${error instanceof Error ? error.message : "it is not a mail"}.`,
    );
  }
}

/** Returns the length of the header. */
function headLength(raw: Buffer): number {
  const ends = ["\r\n\r\n", "\n\n"].map((end) => raw.indexOf(end)).filter((at) => at >= 0);
  return Math.min(raw.length, ...ends);
}

function addressOf(address: Address | undefined): string | undefined {
  return address?.address === "" ? undefined : address?.address;
}
