import { el } from "./dom.js";

const good = ["ready", "running", "delivered", "stopped", "completed"];

/** Shows a status, and whether the thing is real or simulated where that is a question. */
export function state(status: string, runs = ""): HTMLElement {
  const look = good.includes(status) ? "good" : status === "failed" ? "bad" : "busy";
  const shown = el("span", { class: look }, status);
  return runs === "" ? shown : el("span", {}, shown, " ", el("span", { class: "quiet" }, runs));
}
