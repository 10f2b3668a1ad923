import type { MarkdownRenderer } from "vitepress";

/**
 * Leaves out headers without a text, which Markdown requires: a row of them, and the mark of a single one as a header.
 * A screen reader would announce them.
 */
export function omitEmptyHeaders(md: MarkdownRenderer): void {
  md.core.ruler.push("empty-headers", (state) => {
    const { tokens } = state;
    const isEmpty = (index: number) => tokens[index + 1]?.content === "";
    const left: typeof tokens = [];
    for (let index = 0; index < tokens.length; index += 1) {
      const token = tokens[index];
      if (!token) continue;
      if (token.type === "thead_open") {
        const end = tokens.findIndex(({ type }, at) => at > index && type === "thead_close");
        const headers = [...tokens.keys()].filter(
          (at) => at > index && at < end && tokens[at]?.type === "th_open",
        );
        if (headers.every(isEmpty)) {
          index = end;
          continue;
        }
        for (const at of headers.filter(isEmpty))
          for (const cell of [tokens[at], tokens[at + 2]]) if (cell) cell.tag = "td";
      }
      left.push(token);
    }
    state.tokens = left;
  });
}
