import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { relative } from "node:path";
import { root } from "../setup/paths.mjs";
import { Problem } from "../setup/problem.mjs";
import { sendMail } from "./mail.mjs";
import { asArgument } from "./projects.mjs";
import { maskedUri, summaryOf, table } from "./resources.mjs";
import { service } from "./sandbox.mjs";

/**
 * @typedef {import("./projects.mjs").Project} Project
 * @typedef {import("./resources.mjs").Resource} Resource
 */

/**
 * Uses the resources of a stack, shows them, and suggests commands to try next.
 *
 * @param {Project} project
 * @param {Resource[]} resources
 */
export async function tour(project, resources) {
  console.log("\nResources:\n");
  const rows = resources.map((resource) => [resource.kind, resource.name, resource.id, summaryOf(resource)]);
  console.log(indented(table([["KIND", "NAME", "ID", "WHAT"], ...rows])));

  console.log("\nWhat works:\n");
  for (const resource of resources) {
    const result = await uses[resource.kind]?.(resource);
    if (result) console.log(indented(result));
  }

  const example = asArgument(project.name);
  const pulumi = `npm run pulumi --${example}`;
  const edited = [project.program, ...(project.settings ? [relative(root, project.settings)] : [])].join(
    " or ",
  );
  const hints = [
    [`${pulumi} stack output --show-secrets`, "the outputs; any pulumi command works like this"],
    [`${pulumi} preview --diff`, `after a change of ${edited}; npm start${example} applies it`],
    ...(resources.some(isRealDatabase)
      ? [
          [
            `psql "$(npm run -s pulumi --${example} stack output databaseUri --show-secrets)"`,
            "a session in the database",
          ],
        ]
      : []),
    [new URL("/", service.baseUrl).href, "the dashboard, in a browser: resources, requests, mail"],
    [`curl -s ${service.control}/journal`, "every request"],
    ["npm run down", "destroys everything and stops the sandbox"],
  ];
  console.log("\nTry next:\n");
  console.log(indented(table(hints)));
}

/** @param {Resource} resource */
function isRealDatabase({ kind, outputs }) {
  // Names under .invalid never exist (RFC 2606).
  return kind === "Database" && typeof outputs["host"] === "string" && !outputs["host"].endsWith(".invalid");
}

/** @type {Record<string, (resource: Resource) => Promise<string>>} */
const uses = {
  Link: async ({ name, outputs }) => {
    const { shortUrl, passcode } = outputs;
    const body = typeof passcode === "string" ? new URLSearchParams({ passcode }).toString() : undefined;
    const { status, location } = await follow(new URL(String(shortUrl)), body);
    if (!location) throw new Problem(`The link "${name}" does not redirect: ${shortUrl} returned ${status}.`);
    return `link ${name}: ${shortUrl}${body ? " with its passcode" : ""} redirects to ${location}`;
  },
  Database: async (database) => {
    const { host, port, connectionUri } = database.outputs;
    if (typeof host !== "string") return `database ${database.name}: no address yet`;
    const real = isRealDatabase(database);
    if (real && !(await accepts(host, Number(port)))) {
      throw new Problem(`The database "${database.name}" does not accept connections at ${host}:${port}.`);
    }
    const status = real ? "accepts connections" : "simulated: nothing listens there";
    return `database ${database.name}: ${maskedUri(String(connectionUri))} (${status})`;
  },
  Inbox: async ({ name, id, outputs }) => {
    let messages = await messagesIn(id);
    if (messages.length === 0) {
      await sendMail({
        port: service.smtpPort,
        from: "hello@example.com",
        to: String(outputs["emailAddress"]),
        subject: "Confirm your address",
        text: "Your verification code is 493817.",
      });
      messages = await messagesIn(id);
    }
    const [latest] = messages;
    if (!latest) throw new Problem(`The inbox "${name}" did not receive the mail that was sent to it.`);
    const { sender, subject, otp_code: code } = latest;
    return `inbox ${name}: ${messages.length} received, the latest from ${sender}, "${subject}", one-time code ${code}`;
  },
};

/**
 * Opens a short URL at the sandbox, also that of a custom domain, whose name leads elsewhere.
 *
 * @param {URL} shortUrl
 * @param {string} [form] the passcode
 * @returns {Promise<{ status: number | undefined, location: string | undefined }>}
 */
function follow({ host, pathname }, form) {
  const headers = { host, ...(form && { "content-type": "application/x-www-form-urlencoded" }) };
  return new Promise((resolve, reject) => {
    httpRequest(new URL(pathname, service.baseUrl), {
      method: form ? "POST" : "GET",
      headers,
      timeout: 10_000,
    })
      .on("response", (response) => {
        response.resume();
        resolve({ status: response.statusCode, location: response.headers.location });
      })
      .on("timeout", () => reject(new Problem(`The sandbox does not respond at ${service.baseUrl}.`)))
      .on("error", reject)
      .end(form);
  });
}

/** @param {string} id @returns {Promise<Record<string, string>[]>} */
async function messagesIn(id) {
  const response = await request(`${service.baseUrl}/tempmail/inboxes/${id}/messages`, {
    headers: { authorization: `Bearer ${service.apiKey}` },
  });
  if (!response.ok)
    throw new Problem(`The messages of the inbox ${id} cannot be listed: ${response.status}.`);
  const { data } = /** @type {{ data: Record<string, string>[] }} */ (await response.json());
  return data;
}

/** @param {string} address @param {RequestInit} options */
function request(address, options) {
  return fetch(address, { ...options, signal: AbortSignal.timeout(10_000) });
}

/** @param {string} host @param {number} port @returns {Promise<boolean>} */
function accepts(host, port) {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    const end = (/** @type {boolean} */ open) => {
      socket.destroy();
      resolve(open);
    };
    socket.setTimeout(5_000, () => end(false));
    socket.on("connect", () => end(true)).on("error", () => end(false));
  });
}

/** @param {string} text */
function indented(text) {
  return text.replace(/^/gm, "  ");
}
