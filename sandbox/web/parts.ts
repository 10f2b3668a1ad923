/** A part of the page, which is made anew only when its data has changed. */
export interface Part {
  /** Unique among the parts beside it. */
  readonly key: string;
  /** What the element shows, apart from the parts in it; absent if it never changes. */
  readonly data?: unknown;
  readonly make: () => HTMLElement;
  /** All children of the element. */
  readonly parts?: readonly Part[];
}

const made = new WeakMap<Element, { readonly key: string; readonly shows: string | undefined }>();

/**
 * Makes the parts the children of an element. Unchanged ones stay in place, so that they keep focus, selection, scroll
 * position and typed text, and frames do not load again.
 */
export function update(place: Element, parts: readonly Part[]): void {
  const wanted = new Set(parts.map(({ key }) => key));
  const present = new Map<string, Element>();
  for (const child of [...place.children]) {
    const key = made.get(child)?.key;
    if (key !== undefined && wanted.has(key)) present.set(key, child);
    else removeFocused(child);
  }
  let next = place.firstElementChild;
  for (const part of parts) {
    const shows = JSON.stringify(part.data);
    const old = present.get(part.key);
    const isSame = old !== undefined && made.get(old)?.shows === shows;
    const element = isSame ? old : part.make();
    made.set(element, { key: part.key, shows });
    if (part.parts) update(element, part.parts);
    if (old && !isSame) {
      replaceFocused(old, element);
      if (next === old) next = element;
    }
    if (next === element) next = element.nextElementSibling;
    else place.insertBefore(element, next);
  }
}

function focusableIn(element: Element): HTMLElement[] {
  return [...element.querySelectorAll<HTMLElement>("a[href], button, input, select, [tabindex]")];
}

/** Replaces an element and moves the focus to the same position in the new one. */
function replaceFocused(old: Element, element: Element): void {
  const index = focusableIn(old).findIndex((each) => each.matches(":focus"));
  old.replaceWith(element);
  if (index >= 0) focusableIn(element)[index]?.focus({ preventScroll: true });
}

/** Removes an element. A focus in it moves to the section, where the keyboard would otherwise begin at the top. */
function removeFocused(element: Element): void {
  const hadFocus = element.contains(document.activeElement);
  const section = element.closest("main");
  element.remove();
  if (hadFocus) section?.focus({ preventScroll: true });
}
