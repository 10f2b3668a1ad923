import { Tokenizer } from "htmlparser2";

/**
 * Returns the visible text of an HTML body and the targets of its links. Reads a stream of tags, because a sender
 * controls the depth of the tree.
 */
export function htmlToText(html: string): { text: string; links: string[] } {
  const links: string[] = [];
  const parts: string[] = [];
  let tag = "";
  let attribute = "";
  let value = "";
  let target: string | undefined;
  let hiding: string | undefined;
  const show = (text: string) => {
    if (hiding === undefined) parts.push(text);
  };
  const tagEnds = () => {
    if (tag === "a" && target !== undefined) links.push(normalizeHref(target));
    target = undefined;
  };
  const ignore = () => {};
  const tokenizer = new Tokenizer(
    {},
    {
      onopentagname(start, end) {
        tag = html.slice(start, end).toLowerCase();
        if (isHidden(tag)) hiding ??= tag;
        else if (tag === "body") hiding = undefined;
        if (isBlock(tag)) parts.push("\n");
      },
      onattribname(start, end) {
        attribute = html.slice(start, end).toLowerCase();
        value = "";
      },
      onattribdata(start, end) {
        value += html.slice(start, end);
      },
      onattribentity(character) {
        value += String.fromCodePoint(character);
      },
      onattribend() {
        if (attribute === "href") target ??= value;
      },
      onopentagend: tagEnds,
      onselfclosingtag: tagEnds,
      onclosetag(start, end) {
        const name = html.slice(start, end).toLowerCase();
        if (name === hiding) hiding = undefined;
        if (isBlock(name)) parts.push("\n");
      },
      ontext: (start, end) => show(html.slice(start, end).replace(/\s+/g, " ")),
      ontextentity: (character) => show(String.fromCodePoint(character).replace(/\s/, " ")),
      oncdata: ignore,
      oncomment: ignore,
      ondeclaration: ignore,
      onend: ignore,
      onprocessinginstruction: ignore,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  const lines = parts.join("").replace(/ +/g, " ").split("\n");
  const text = lines
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("\n");
  return { text, links };
}

/** Normalizes a target as browsers do: no line breaks, no surrounding space. */
function normalizeHref(target: string): string {
  return target.replace(/[\t\n\r]/g, "").trim();
}

function isHidden(tag: string): boolean {
  return tag === "style" || tag === "script" || tag === "title" || tag === "head";
}

function isBlock(tag: string): boolean {
  return /^(address|article|blockquote|br|div|h[1-6]|hr|li|ol|p|pre|section|table|td|th|tr|ul)$/.test(tag);
}
