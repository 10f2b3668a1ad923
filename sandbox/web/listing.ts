import { button, type Child, el, nothing } from "./dom.js";
import type { Part } from "./parts.js";

/** What a section shows for a filter. */
export interface Shown {
  readonly parts: readonly Part[];
  readonly found: number;
  readonly total: number;
}

export interface Column<T> {
  readonly head: string;
  /** How it is laid out: a name takes much of the width, and a phone shows the state beside it. */
  readonly as?: "name" | "state" | "narrow" | "long";
  readonly cell: (item: T) => Child;
}

export interface Listing<T> {
  /** Names the table; unique in its section. */
  readonly title: string;
  readonly hasHeading?: boolean;
  readonly items: readonly T[];
  readonly key: (item: T) => string;
  readonly columns: readonly Column<T>[];
  /** What else a row depends on, beside its item. */
  readonly context?: unknown;
  /** What a filter looks at; by default the whole item. */
  readonly text?: (item: T) => unknown;
  /** A line below the name, such as a reason; may be empty. */
  readonly note?: (item: T) => string;
  /** What a click on the name unfolds. */
  readonly detail?: (item: T) => HTMLElement;
  /** Shown in place of a table without rows; without it, nothing is. */
  readonly empty?: string;
}

/** More rows are shown on request only: a browser takes long for ten thousand. */
const ROWS = 500;

// Both outlive the rows, which are made anew when their item changes.
const unfolded = new Set<string>();
const complete = new Set<string>();

/** Returns all values as text, without the names of fields: "password" is in every database. */
function valuesOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value ?? "");
  return Object.values(value).map(valuesOf).join("\n");
}

/** Returns whether the text has every word of the filter. */
function matches(text: string, filter: string): boolean {
  const words = filter.toLowerCase().split(/\s+/);
  return words.every((word) => text.includes(word));
}

/** Lists the items that match the filter. */
export function list<T extends object>(listing: Listing<T>, filter: string): Shown {
  const { title, items, text = (item) => item } = listing;
  const found =
    filter.trim() === ""
      ? items
      : items.filter((item) => matches(valuesOf(text(item)).toLowerCase(), filter.trim()));
  const counts = { found: found.length, total: items.length };
  const heading: Part[] = listing.hasHeading
    ? [{ key: "heading", data: found.length, make: () => headingOf(title, found.length) }]
    : [];
  if (found.length > 0)
    return { ...counts, parts: [sectionOf(title, [...heading, ...rowsOf(listing, found)])] };
  if (listing.empty === undefined || items.length > 0) return { ...counts, parts: [] };
  const { empty } = listing;
  return {
    ...counts,
    parts: [sectionOf(title, [...heading, { key: "empty", data: empty, make: () => nothing(empty) }])],
  };
}

/** Puts listings below each other. */
export function stack(all: readonly Shown[]): Shown {
  const sum = (of: (each: Shown) => number) => all.reduce((total, each) => total + of(each), 0);
  return {
    parts: all.flatMap(({ parts }) => parts),
    found: sum(({ found }) => found),
    total: sum(({ total }) => total),
  };
}

function sectionOf(title: string, parts: readonly Part[]): Part {
  return { key: title, make: () => el("section"), parts };
}

function headingOf(title: string, count: number): HTMLElement {
  return el("h2", {}, title, " ", el("span", { class: "quiet" }, String(count)));
}

/** Roles are explicit, because browsers drop those of a table that a phone shows as blocks. */
function rowsOf<T>(listing: Listing<T>, found: readonly T[]): Part[] {
  const { title, columns, key } = listing;
  const first = complete.has(title) ? found : found.slice(0, ROWS);
  const head = columns.map(({ head }) => head);
  const table: Part = {
    key: "table",
    make: () => el("table", { role: "table", "aria-label": title }),
    parts: [
      { key: "head", data: head, make: () => headOf(columns) },
      ...first.map((item) => ({
        key: `row ${key(item)}`,
        data: [item, head, listing.context],
        make: () => rowOf(listing, item),
      })),
    ],
  };
  if (first.length === found.length) return [table];
  const label = `Show all ${found.length}`;
  return [table, { key: "more", data: label, make: () => more(title, label) }];
}

function more(title: string, label: string): HTMLElement {
  const made = button(label, () => {
    complete.add(title);
    made.dispatchEvent(new Event("redraw", { bubbles: true }));
  });
  return made;
}

function headOf<T>(columns: readonly Column<T>[]): HTMLElement {
  const heads = columns.map(({ head, as = "" }) =>
    el("th", { scope: "col", role: "columnheader", class: as }, head),
  );
  return el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, ...heads));
}

function rowOf<T>({ title, columns, key, note, detail }: Listing<T>, item: T): HTMLElement {
  const made = el("tbody", { role: "rowgroup" });
  const cells = columns.map(({ head, as = "", cell }) => {
    const attributes = { role: "cell", class: as, "data-head": head };
    const shown = cell(item);
    if (as !== "name") return el("td", attributes, shown);
    const text = note?.(item) ?? "";
    const below = text === "" ? undefined : el("div", { class: "note bad" }, text);
    const name = detail ? toggle(shown, `${title} ${key(item)}`, made, () => detail(item)) : shown;
    return el("td", attributes, name, below);
  });
  made.prepend(el("tr", { role: "row" }, ...cells));
  return made;
}

/** A button that unfolds a row below its own. */
function toggle(label: Child, id: string, body: HTMLElement, detail: () => HTMLElement): HTMLElement {
  const made = el("button", { type: "button", class: "toggle" }, el("span", {}, label));
  const fold = el("tr", { role: "row", class: "detail" });
  const show = () => {
    const isOpen = unfolded.has(id);
    made.setAttribute("aria-expanded", String(isOpen));
    if (!isOpen) fold.remove();
    else {
      // Made when it is first needed: most rows are never unfolded.
      if (!fold.firstChild) fold.append(el("td", { role: "cell", colspan: "20" }, detail()));
      body.append(fold);
    }
  };
  made.addEventListener("click", () => {
    if (!unfolded.delete(id)) unfolded.add(id);
    show();
  });
  show();
  return made;
}
