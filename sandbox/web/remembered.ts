type Field = HTMLInputElement | HTMLSelectElement;

function fieldsIn(place: Element): Field[] {
  return [...place.querySelectorAll<Field>("input, select")];
}

/** Identifies an element by its tag and its name or text. */
function labelOf(element: Element): string {
  return `${element.tagName} ${element.getAttribute("name") ?? element.textContent}`;
}

/** Remembers unfolded parts, typed values and focus; the returned function restores them after a redraw. */
export function remembered(place: Element): () => void {
  const open = [...place.querySelectorAll("details[open] > summary")].map(labelOf);
  const values = new Map(fieldsIn(place).map((field) => [field.name, field.value]));
  const active = document.activeElement;
  const focused = active && place.contains(active) && active !== place ? labelOf(active) : undefined;
  return () => {
    for (const summary of place.querySelectorAll("details > summary")) {
      const { parentElement } = summary;
      if (open.includes(labelOf(summary)) && parentElement instanceof HTMLDetailsElement)
        parentElement.open = true;
    }
    for (const field of fieldsIn(place)) field.value = values.get(field.name) ?? field.value;
    for (const element of place.querySelectorAll<HTMLElement>("button, input, select, summary")) {
      if (focused === undefined || labelOf(element) !== focused) continue;
      element.focus();
      break;
    }
  };
}
