/** Characters without meaning outside quotes and comments. */
const PLAIN = /[^'"$\-/;()A-Za-z_\u0080-\uffff]+/y;
const WORD = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y;
const DOLLAR_TAG = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
const ROUTINE = /^CREATE (?:OR REPLACE )?(?:FUNCTION|PROCEDURE) /;

/** In characters; below the maximum length of strings. */
const LONGEST = 500 * 1024 * 1024;

type Place = "outside" | "line comment" | { readonly until: string };

/**
 * Splits a script into statements as psql does: at semicolons outside quotes, comments, parentheses, and bodies of
 * routines (`BEGIN ATOMIC … END`). Supports the SQL that pg_dump writes.
 */
export class Statements {
  #text = "";
  #at = 0;
  #place: Place = "outside";
  /** The first words of the statement, which show whether it creates a routine. */
  #head = "";
  #parentheses = 0;
  #begins = 0;
  readonly #longest: number;

  /** @param longest - Maximum characters of a statement. */
  constructor(longest: number = LONGEST) {
    this.#longest = longest;
  }

  /**
   * Adds text and returns complete statements.
   * @throws Where a statement is too long to send.
   */
  push(piece: string): string[] {
    return this.#cut(piece, false);
  }

  /** Returns the remaining statement, if any. */
  end(): string[] {
    const statements = this.#cut("", true);
    const rest = this.#text.trim();
    this.#text = "";
    return rest === "" ? statements : [...statements, rest];
  }

  #cut(piece: string, isLast: boolean): string[] {
    if (this.#text.length + piece.length > this.#longest)
      throw new Error(`a statement has more than ${this.#longest} characters`);
    this.#text += piece;
    const found: string[] = [];
    let start = 0;
    while (this.#at < this.#text.length && this.#step(isLast)) {
      if (this.#head !== ";") continue;
      found.push(this.#text.slice(start, this.#at).trim());
      start = this.#at;
      this.#head = "";
    }
    this.#text = this.#text.slice(start);
    this.#at -= start;
    return found;
  }

  /** Consumes one token. Returns false if it needs more text to recognize it. */
  #step(isLast: boolean): boolean {
    if (this.#place === "line comment") return this.#leave("\n", 0);
    if (this.#place !== "outside") return this.#leave(this.#place.until, this.#place.until.length);
    const plain = this.#match(PLAIN);
    if (plain !== undefined) return true;
    const word = this.#match(WORD);
    if (word !== undefined) {
      // The word may continue in the next piece.
      if (this.#at === this.#text.length && !isLast) {
        this.#at -= word.length;
        return false;
      }
      this.#read(word.toUpperCase());
      return true;
    }
    const character = this.#text[this.#at] ?? "";
    if ("-/$".includes(character)) return this.#open(character, isLast);
    this.#at += 1;
    if (character === "'" || character === '"') this.#place = { until: character };
    else if (character === "(") this.#parentheses += 1;
    else if (character === ")") this.#parentheses -= 1;
    else if (character === ";" && this.#parentheses <= 0 && this.#begins === 0) {
      this.#head = ";";
      this.#parentheses = 0;
    }
    return true;
  }

  /** Starts a comment or a dollar quote, if this is one. */
  #open(character: string, isLast: boolean): boolean {
    const tag = this.#match(DOLLAR_TAG);
    if (tag !== undefined) {
      this.#place = { until: tag };
      return true;
    }
    const rest = this.#text.slice(this.#at, this.#at + 64);
    const isUnknown =
      character === "$" ? !/[^\w$\u0080-\uffff]/.test(rest) && rest.length < 64 : rest.length < 2;
    if (isUnknown && !isLast) return false;
    if (rest.startsWith("--")) this.#place = "line comment";
    else if (rest.startsWith("/*")) this.#place = { until: "*/" };
    this.#at += this.#place === "outside" ? 1 : 2;
    return true;
  }

  #leave(end: string, length: number): boolean {
    const found = this.#text.indexOf(end, this.#at);
    if (found < 0) {
      // The end marker may be split between pieces.
      this.#at = Math.max(this.#at, this.#text.length - end.length + 1);
      return false;
    }
    this.#at = found + length;
    this.#place = "outside";
    return true;
  }

  #read(word: string): void {
    if (this.#head.length < 40) this.#head += `${word} `;
    if (this.#parentheses > 0 || !ROUTINE.test(this.#head)) return;
    if (word === "BEGIN" || (word === "CASE" && this.#begins > 0)) this.#begins += 1;
    else if (word === "END" && this.#begins > 0) this.#begins -= 1;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }
}
