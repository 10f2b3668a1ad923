import { type ClockState, read } from "./control.js";
import { remembered } from "./remembered.js";
import { views } from "./views.js";

const place = document.querySelector("main");
const clock = document.querySelector("#clock");
const live = document.querySelector("#live");

let drawing = 0;

/** Draws the section in the address, keeping unfolded parts and typed text. */
async function draw(): Promise<void> {
  const name = location.hash.slice(1);
  const view = views.get(name) ?? views.get("resources");
  if (!place || !view) return;
  drawing += 1;
  const turn = drawing;
  const content = await view();
  // A later drawing has overtaken this one.
  if (turn !== drawing) return;
  const restore = remembered(place);
  place.replaceChildren(...content);
  restore();
  for (const link of document.querySelectorAll("nav a")) {
    const isHere = link.getAttribute("href") === `#${views.has(name) ? name : "resources"}`;
    if (isHere) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

async function showClock(): Promise<void> {
  const { now, frozen } = await read<ClockState>("clock");
  if (clock) clock.textContent = `${now.slice(0, 19).replace("T", " ")} UTC${frozen ? " (frozen)" : ""}`;
}

function refresh(): void {
  showClock().catch(() => {});
  // Redrawing would close an open list.
  if (!(document.activeElement instanceof HTMLSelectElement)) draw().catch(() => {});
}

const feed = new EventSource("/_sandbox/live");
feed.addEventListener("open", () => {
  if (live) live.textContent = "";
  refresh();
});
feed.addEventListener("message", refresh);
feed.addEventListener("error", () => {
  if (live) live.textContent = "The sandbox does not respond; retrying.";
});
window.addEventListener("hashchange", () => {
  draw().catch(() => {});
  place?.focus();
});
setInterval(() => showClock().catch(() => {}), 1000);
