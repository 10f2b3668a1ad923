import { type ActiveFault, act, read } from "./control.js";
import { button, el, form, input, select } from "./dom.js";
import { type Listing, list } from "./listing.js";
import type { Part } from "./parts.js";
import type { View } from "./views.js";

const complaint = el("p", { role: "alert", class: "bad" });

async function perform(method: string, path: string, body?: unknown): Promise<void> {
  try {
    complaint.textContent = (await act(method, path, body)) ?? "";
  } catch {
    complaint.textContent = "The sandbox does not respond; it may have made the change.";
  }
}

/** Clock, faults and reset. */
export const controls: View = async ({ frozen }) => {
  const faults = await read<ActiveFault[]>("faults");
  const parts: Part[] = [
    { key: "complaint", make: () => complaint },
    { key: "clock", make: clock },
    { key: "freeze", data: frozen, make: () => freezing(frozen) },
    heading("Faults"),
    ...list(faultList(faults), "").parts,
    { key: "add fault", make: addFault },
    heading("Reset"),
    { key: "reset", make: reset },
  ];
  return () => ({ parts, found: 0, total: 0 });
};

function heading(text: string): Part {
  return { key: text, make: () => el("h2", {}, text) };
}

function clock(): HTMLElement {
  const advance = form([["Minutes", input("minutes", "60", "number")]], "Advance", (values) => {
    void perform("POST", "clock", { do: "advance", ms: Number(values.get("minutes")) * 60_000 });
  });
  return el("div", {}, el("h2", {}, "Clock"), advance);
}

function freezing(frozen: boolean): HTMLElement {
  const [label, action] = frozen ? ["Resume", "resume"] : ["Freeze", "freeze"];
  return el(
    "p",
    {},
    button(label, () => void perform("POST", "clock", { do: action })),
  );
}

function faultList(items: readonly ActiveFault[]): Listing<ActiveFault> {
  return {
    title: "Active faults",
    items,
    key: ({ id }) => id,
    columns: [
      {
        head: "Fault",
        as: "name",
        cell: ({ fault }) => el("code", {}, JSON.stringify(fault)),
      },
      { head: "Struck", as: "narrow", cell: ({ struck }) => String(struck) },
      {
        head: "Action",
        as: "state",
        cell: ({ id }) => button("Remove fault", () => void perform("DELETE", `faults/${id}`)),
      },
    ],
    empty: "No faults.",
  };
}

function addFault(): HTMLElement {
  const kinds = ["status before", "status after", "drop before", "drop after", "cut", "rateLimit", "stale"];
  return form(
    [
      ["Kind", select("kind", kinds)],
      ["Route", input("route", "/databases")],
      ["Method", select("method", ["POST", "GET", "PATCH", "DELETE", "PUT"])],
      ["Times", input("count", "1", "number")],
    ],
    "Add fault",
    (values) => void perform("POST", "faults", faultOf(values)),
  );
}

function faultOf(values: ReadonlyMap<string, string>): unknown {
  const [kind, when] = (values.get("kind") ?? "").split(" ");
  return {
    kind,
    ...(when !== undefined && { when }),
    ...(kind === "status" && { status: 500 }),
    route: values.get("route"),
    method: values.get("method"),
    count: Number(values.get("count")),
  };
}

function reset(): HTMLElement {
  return button("Remove everything", () => {
    if (confirm("Remove every resource, request and setting?")) void perform("POST", "reset");
  });
}
