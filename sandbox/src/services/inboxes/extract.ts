import { parsedUrl } from "../../core/parsed-url.js";

const SNIPPET_LENGTH = 140;

/** Returns each web address once, in order of appearance. */
export function extractLinks(text: string, hrefs: readonly string[]): string[] {
  const written = [...text.matchAll(/https?:\/\/[^\s<>"'`。、]+/gi)].map(([url]) => trimPunctuation(url));
  const all = [...hrefs, ...written].filter(
    (url) => /^https?:\/\//i.test(url) && parsedUrl(url) !== undefined,
  );
  return [...new Set(all)];
}

const OPENING: ReadonlyMap<string, string> = new Map([
  [")", "("],
  ["]", "["],
  ["}", "{"],
]);

/** Punctuation that ends a sentence or a quotation, and marks of Markdown and tables. */
const AROUND = /[.,;:!?…*|„‚\p{Initial_Punctuation}\p{Final_Punctuation}]/u;

/** Removes surrounding punctuation, and everything from a bracket that was opened before the address. */
function trimPunctuation(url: string): string {
  let end = unopenedBracket(url);
  while (AROUND.test(url.charAt(end - 1))) end -= 1;
  return url.slice(0, end);
}

/** Returns the position of the first closing bracket without an opening one, or the address's length. */
function unopenedBracket(url: string): number {
  const open = new Map<string, number>([...OPENING.values()].map((bracket) => [bracket, 0]));
  for (let at = 0; at < url.length; at++) {
    const character = url.charAt(at);
    const opening = OPENING.get(character);
    const count = open.get(opening ?? character);
    if (count === undefined) continue;
    if (opening !== undefined && count === 0) return at;
    open.set(opening ?? character, opening === undefined ? count + 1 : count - 1);
  }
  return url.length;
}

export function makeSnippet(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= SNIPPET_LENGTH ? line : `${line.slice(0, SNIPPET_LENGTH - 1).trimEnd()}…`;
}

/** Codes appear near the beginning of a mail. */
const SEARCHED_CHARACTERS = 65_536;

// Unlike \b, these also treat non-ASCII letters as letters.
const BEGINS = String.raw`(?<![\p{L}\p{N}_])`;
const ENDS = String.raw`(?![\p{L}\p{N}_])`;
/** Excludes years in dates such as "since 2024". */
const NO_DATE = String.raw`(?<!\b(?:by|from|in|of|on|since|until) (?=(?:19|20)\d\d\b))`;
const FORM = String.raw`\d{4,8}|\d{3}[- ]\d{3}|[A-Z]-\d{4,8}|(?=[A-Z0-9]{0,7}\d)(?=[A-Z0-9]{0,7}[A-Z])[A-Z0-9]{5,8}`;
const CODE = `(?<!-)${BEGINS}${NO_DATE}(${FORM})(?!-)${ENDS}`;
/** Words before "code" for codes that are not one-time codes. */
const OTHER =
  "area|colou?r|country|coupon|discount|dress|error|gift|post|postal|promo|source|status|voucher|zip";
const NAME = `(?<!(?:${OTHER})[ -])code(?! of )|otp|passcode|pin|password|token|kode|código|mã`;
const WORD = `${BEGINS}(?:${NAME})${ENDS}`;
const AFTER_WORD = new RegExp(String.raw`${WORD}[^\n.!?]{0,40}?${CODE}`, "giu");
const BEFORE_WORD = new RegExp(String.raw`${CODE}[^\n.!?\d]{0,40}?${WORD}`, "giu");
const ALONE = /^(?!(?:19|20)\d\d$)(?:\d{4,8}|\d{3}[- ]\d{3})$/;

/**
 * Finds a one-time code: a code-like word near a word such as "code", or digits alone on a line that are not a year.
 * Ignores web addresses, whose numbers are no codes.
 */
export function extractOtp(subject: string, text: string): string | undefined {
  const searched = `${subject}\n${text.slice(0, SEARCHED_CHARACTERS)}`
    .normalize("NFC")
    .replace(/https?:\/\/\S+/gi, " ")
    .replace(/:\s*\n\s*/g, ": ");
  const code = codeOf(searched, AFTER_WORD) ?? aloneIn(searched) ?? codeOf(searched, BEFORE_WORD);
  return code?.replace(/^(\d{3})[- ](\d{3})$/, "$1$2");
}

function codeOf(text: string, pattern: RegExp): string | undefined {
  for (const [, code] of text.matchAll(pattern)) {
    // The pattern ignores case, but letters in codes are capitals.
    if (code !== undefined && code === code.toUpperCase()) return code;
  }
  return undefined;
}

function aloneIn(text: string): string | undefined {
  return text
    .split(/[\n\r\u2028\u2029]/)
    .map((line) => line.trim())
    .find((line) => ALONE.test(line));
}
