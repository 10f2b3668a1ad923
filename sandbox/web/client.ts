import { type Live, read } from "./control.js";
import { button, nothing } from "./dom.js";
import type { Shown } from "./listing.js";
import { type Part, update } from "./parts.js";
import { views } from "./views.js";

/**
 * The page asks instead of holding a connection open: browsers allow six to a host, which all tabs share, and headless
 * tools wait until none is open.
 */
const ASK_EVERY_MS = 1000;

const place = document.querySelector("main");
const clock = document.querySelector("#clock");
const trouble = document.querySelector("#trouble");
const count = document.querySelector("#count");
const announcement = document.querySelector("#announcement");
const toolbar = document.querySelector<HTMLElement>("#toolbar");
const filter = document.querySelector<HTMLInputElement>("#filter");

let latest: Live | undefined;
let section = "";
let show: ((filter: string) => Shown) | undefined;
let reading = 0;

/** The address is `#requests?filter=orders`. */
function readAddress(): { name: string; words: string } {
  const [name = "", query = ""] = location.hash.slice(1).split("?");
  return {
    name: views.has(name) ? name : "resources",
    words: new URLSearchParams(query).get("filter") ?? "",
  };
}

function addressOf(name: string): string {
  const words = filter?.value ?? "";
  return words === "" ? `#${name}` : `#${name}?${new URLSearchParams({ filter: words })}`;
}

/** Reads the section in the address and draws it. */
async function draw(): Promise<void> {
  const { name } = readAddress();
  const view = views.get(name);
  if (!view || !latest) return;
  reading += 1;
  const turn = reading;
  let read: (filter: string) => Shown;
  try {
    read = await view(latest);
  } catch (error) {
    // To be drawn with the next response.
    latest = { ...latest, version: "" };
    throw error;
  }
  // A later reading or another address has overtaken this one.
  if (turn !== reading || readAddress().name !== name) return;
  show = read;
  section = name;
  redraw();
}

/** Draws what was read last. */
function redraw(): void {
  if (!place || !show) return;
  const words = filter?.value.trim() ?? "";
  const { parts, found, total } = show(words);
  const isMissing = words !== "" && found === 0 && total > 0;
  update(place, isMissing ? [noMatch(words), ...parts] : parts);
  place.removeAttribute("aria-busy");
  if (toolbar) toolbar.hidden = section === "controls";
  const counted = words === "" ? `${total}` : `${found} of ${total}`;
  if (count) count.textContent = total === 0 ? "" : counted;
  for (const link of document.querySelectorAll("nav a")) {
    const name = /#(\w+)/.exec(link.getAttribute("href") ?? "")?.[1] ?? "";
    link.setAttribute("href", addressOf(name));
    if (name === section) {
      link.setAttribute("aria-current", "page");
      document.title = `${link.textContent} · Cloud Services sandbox`;
    } else link.removeAttribute("aria-current");
  }
}

function noMatch(words: string): Part {
  return {
    key: "no match",
    data: words,
    make: () => nothing(`Nothing matches “${words}”. `, button("Clear filter", clearFilter)),
  };
}

function clearFilter(): void {
  if (!filter) return;
  filter.value = "";
  filter.focus();
  filtered();
}

function filtered(): void {
  history.replaceState(undefined, "", addressOf(readAddress().name));
  redraw();
  // Only what was typed is announced: live updates would interrupt all the time.
  if (announcement) announcement.textContent = `${count?.textContent || "0"} shown`;
}

async function ask(): Promise<void> {
  const live = await read<Live>("live");
  if (clock)
    clock.textContent = `${live.now.slice(0, 19).replace("T", " ")} UTC${live.frozen ? " (frozen)" : ""}`;
  const isNew = live.version !== latest?.version;
  latest = live;
  if (isNew) await draw();
}

let timer: ReturnType<typeof setTimeout> | undefined;
let isAsking = false;

/** Asks at once, and from then on regularly while the page is visible. */
async function keepAsking(): Promise<void> {
  clearTimeout(timer);
  if (isAsking || document.hidden) return;
  isAsking = true;
  let problem = "";
  try {
    await ask();
  } catch {
    problem = "The sandbox does not respond; retrying.";
  }
  if (trouble && trouble.textContent !== problem) trouble.textContent = problem;
  isAsking = false;
  timer = setTimeout(keepAsking, ASK_EVERY_MS);
}

/** Shows what the address has changed to. */
function navigate(): void {
  const { name, words } = readAddress();
  if (filter) filter.value = words;
  if (name === section) {
    redraw();
    return;
  }
  draw().catch(() => {});
  place?.focus();
  scrollTo(0, 0);
}

if (filter) filter.value = readAddress().words;
filter?.addEventListener("input", filtered);
place?.addEventListener("redraw", redraw);
window.addEventListener("hashchange", navigate);
document.addEventListener("visibilitychange", keepAsking);
void keepAsking();
