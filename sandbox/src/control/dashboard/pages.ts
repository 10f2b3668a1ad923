import { readFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import type { Rows } from "../../state/rows.js";

const folder = (name: string) => new URL(`../../../${name}`, import.meta.url);

const scripts = [
  "client",
  "control",
  "controls",
  "dom",
  "listing",
  "mail-frame",
  "parts",
  "resources",
  "state",
  "views",
];

/** The dashboard's files. A path outside this list leads to none. */
const files: ReadonlyMap<string, { readonly at: URL; readonly type: string }> = new Map([
  ["/", { at: folder("web/index.html"), type: "text/html" }],
  ["/_sandbox/web/style.css", { at: folder("web/style.css"), type: "text/css" }],
  ...scripts.map(
    (name) =>
      [`/_sandbox/web/${name}.js`, { at: folder(`dist/web/${name}.js`), type: "text/javascript" }] as const,
  ),
]);

const SAFE = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

export function isDashboard(path: string): boolean {
  return files.has(path);
}

export async function sendDashboard(response: ServerResponse, path: string): Promise<void> {
  const file = files.get(path);
  if (!file) throw new Error(`${path} is not a file of the dashboard`);
  const body = await readFile(file.at);
  response.writeHead(200, {
    ...SAFE,
    "content-type": `${file.type}; charset=utf-8`,
    // Loads nothing from elsewhere and runs only the dashboard's own scripts.
    "content-security-policy":
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  });
  response.end(body);
}

/**
 * Sends the HTML of a mail. Nothing in it can run, load or send. It has the dashboard's origin, which measures it, and
 * no other page may frame it.
 */
export function sendMailPage(response: ServerResponse, message: Rows["messages"]): void {
  response.writeHead(200, {
    ...SAFE,
    "content-type": message.html_body === "" ? "text/plain; charset=utf-8" : "text/html; charset=utf-8",
    "content-security-policy":
      "sandbox allow-same-origin; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
  });
  response.end(message.html_body === "" ? message.text_body : message.html_body);
}
