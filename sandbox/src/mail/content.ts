import { Parser } from "htmlparser2";

const SNIPPET_LENGTH = 140;

/** The text of an HTML body as a reader sees it, and the targets of its links. */
export function readHtml(html: string): { text: string; links: string[] } {
  const links: string[] = [];
  const parts: string[] = [];
  let hidden = 0;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (isHidden(name)) hidden += 1;
      if (isBlock(name)) parts.push("\n");
      if (name === "a" && attributes["href"] !== undefined) links.push(attributes["href"]);
    },
    ontext(text) {
      if (hidden === 0) parts.push(text.replace(/\s+/g, " "));
    },
    onclosetag(name) {
      if (isHidden(name)) hidden -= 1;
      if (isBlock(name)) parts.push("\n");
    },
  });
  parser.end(html);
  const text = parts
    .join("")
    .replace(/[ \t]*\n[ \t\n]*/g, "\n")
    .trim();
  return { text, links };
}

function isHidden(tag: string): boolean {
  return tag === "style" || tag === "script" || tag === "title" || tag === "head";
}

function isBlock(tag: string): boolean {
  return /^(address|article|blockquote|br|div|h[1-6]|hr|li|ol|p|pre|section|table|td|th|tr|ul)$/.test(tag);
}

/** Web addresses, each once, in the order in which a reader meets them. */
export function linksOf(text: string, hrefs: readonly string[]): string[] {
  const written = [...text.matchAll(/https?:\/\/[^\s<>"'`]+/gi)].map(([url]) => trimmed(url));
  const all = [...hrefs, ...written].filter((url) => /^https?:\/\//i.test(url) && URL.canParse(url));
  return [...new Set(all)];
}

/** A sentence's punctuation is not part of the address in it, nor is a bracket that was opened before it. */
function trimmed(url: string): string {
  let end = url.replace(/[.,;:!?]+$/, "");
  while (end.endsWith(")") && count(end, ")") > count(end, "(")) {
    end = end.slice(0, -1).replace(/[.,;:!?]+$/, "");
  }
  return end;
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}

export function snippetOf(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= SNIPPET_LENGTH ? line : `${line.slice(0, SNIPPET_LENGTH - 1).trimEnd()}…`;
}

const CODE = String.raw`(\d{4,8}|\d{3}[- ]\d{3}|[A-Z]-\d{4,8}|(?=[A-Z0-9]*\d)(?=[A-Z0-9]*[A-Z])[A-Z0-9]{5,8})`;
const WORD = "(?:code|otp|passcode|pin|password|token|kode|código|mã)";
const AFTER_WORD = new RegExp(`\\b${WORD}\\b[^\\n.!?]{0,40}?(?<![\\w-])${CODE}(?![\\w-])`, "giu");
const BEFORE_WORD = new RegExp(`(?<![\\w-])${CODE}(?![\\w-])[^\\n.!?\\d]{0,40}?\\b${WORD}\\b`, "giu");
const ALONE = /^\s*(\d{4,8}|\d{3}[- ]\d{3})\s*$/gmu;

/**
 * A one-time code: something of a code's form beside a word for one, or digits that stand alone on a line. Web
 * addresses are left out, since their numbers are none.
 */
export function otpOf(subject: string, text: string): string | undefined {
  const searched = `${subject}\n${text}`.replace(/https?:\/\/\S+/gi, " ").replace(/:\s*\n\s*/g, ": ");
  for (const pattern of [AFTER_WORD, ALONE, BEFORE_WORD]) {
    for (const [, code] of searched.matchAll(pattern)) {
      // The pattern takes words in any case, and a code's letters are capitals.
      if (code !== undefined && code === code.toUpperCase())
        return code.replace(/^(\d{3})[- ](\d{3})$/, "$1$2");
    }
  }
  return undefined;
}
