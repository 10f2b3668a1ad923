type Child = Node | string | undefined;

/** Creates an element. Strings become text, never markup. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string>> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

export function button(label: string, act: () => void): HTMLButtonElement {
  const made = el("button", { type: "button" }, label);
  made.addEventListener("click", act);
  return made;
}

export function table(heads: readonly string[], rows: ReadonlyArray<readonly Child[]>): HTMLElement {
  const head = el("tr", {}, ...heads.map((text) => el("th", { scope: "col" }, text)));
  const body = rows.map((cells) => el("tr", {}, ...cells.map((cell) => el("td", {}, cell))));
  return el("div", { class: "scroll" }, el("table", {}, el("thead", {}, head), el("tbody", {}, ...body)));
}

export function details(summary: string, content: unknown): HTMLElement {
  return el("details", {}, el("summary", {}, summary), el("pre", {}, JSON.stringify(content, undefined, 2)));
}

export function nothing(text: string): HTMLElement {
  return el("p", { class: "quiet" }, text);
}

/** Creates a form of labelled fields; `act` receives their values by name. */
export function form(
  fields: ReadonlyArray<HTMLInputElement | HTMLSelectElement>,
  submit: string,
  act: (values: Map<string, string>) => void,
): HTMLFormElement {
  const labelled = fields.map((field) =>
    el("label", {}, field.getAttribute("aria-label") ?? field.name, field),
  );
  const made = el("form", {}, ...labelled, el("button", {}, submit));
  made.addEventListener("submit", (event) => {
    event.preventDefault();
    act(new Map(fields.map((field) => [field.name, field.value])));
  });
  return made;
}

export function input(name: string, label: string, value: string, type = "text"): HTMLInputElement {
  return el("input", { name, "aria-label": label, value, type });
}

export function select(name: string, label: string, options: readonly string[]): HTMLSelectElement {
  return el("select", { name, "aria-label": label }, ...options.map((option) => el("option", {}, option)));
}
