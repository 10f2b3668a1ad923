import PostalMime, { type Address, type Email } from "postal-mime";
import { invalid } from "../../core/errors.js";
import type { Rows } from "../../state/rows.js";
import { extractLinks, extractOtp, makeSnippet } from "./extract.js";
import { htmlToText } from "./html-to-text.js";

/** Common mail servers refuse longer ones too, and the time that a check of DKIM takes grows faster than the head. */
const MAX_HEAD_BYTES = 102_400;

/** What a mail says, whoever it is for. */
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
  /** Absent where the mail does not say from whom it is. */
  readonly sender: string | undefined;
}

/** @throws ApiError where the mail is none that can be read. */
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
    throw invalid(`The mail cannot be read: its head has more than ${MAX_HEAD_BYTES} bytes.`);
  try {
    return await PostalMime.parse(raw);
  } catch (error) {
    throw invalid(`The mail cannot be read: ${error instanceof Error ? error.message : "it is no mail"}.`);
  }
}

/** The length of what stands above the first empty line. */
function headLength(raw: Buffer): number {
  const ends = ["\r\n\r\n", "\n\n"].map((end) => raw.indexOf(end)).filter((at) => at >= 0);
  return Math.min(raw.length, ...ends);
}

function addressOf(address: Address | undefined): string | undefined {
  return address?.address === "" ? undefined : address?.address;
}
