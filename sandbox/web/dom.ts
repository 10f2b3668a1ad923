export type Child = Node | string | undefined;

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

/** Shows a value as JSON. Long values scroll, also with the keyboard. */
export function json(content: unknown, label: string): HTMLElement {
  return el(
    "pre",
    { tabindex: "0", role: "group", "aria-label": label },
    JSON.stringify(content, undefined, 2),
  );
}

/** Shows a time of day in UTC, with its date unless that is the date of `now`. */
export function time(iso: string, now: string): HTMLElement {
  const [date = "", clock = ""] = iso.slice(0, 19).split("T");
  return el("time", { datetime: iso }, now.startsWith(date) ? clock : `${date} ${clock}`);
}

export function nothing(...content: Child[]): HTMLElement {
  return el("p", { class: "quiet" }, ...content);
}

/** Creates a form of labelled fields; `act` receives their values by name. */
export function form(
  fields: ReadonlyArray<readonly [label: string, field: HTMLInputElement | HTMLSelectElement]>,
  submit: string,
  act: (values: ReadonlyMap<string, string>) => void,
): HTMLFormElement {
  const labelled = fields.map(([label, field]) => el("label", {}, label, field));
  const made = el("form", {}, ...labelled, el("button", {}, submit));
  made.addEventListener("submit", (event) => {
    event.preventDefault();
    act(new Map(fields.map(([, field]) => [field.name, field.value])));
  });
  return made;
}

export function input(name: string, value: string, type = "text"): HTMLInputElement {
  return el("input", { name, value, type });
}

export function select(name: string, options: readonly string[]): HTMLSelectElement {
  return el("select", { name }, ...options.map((option) => el("option", {}, option)));
}
