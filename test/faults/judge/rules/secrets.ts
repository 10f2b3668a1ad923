import type { Evidence } from "../../evidence/evidence.js";
import type { Exchange } from "../../evidence/service.js";
import { isRecord, member } from "../facts.js";
import { type Finding, finding, lineOf, phaseLine, type Rule } from "../violation.js";

/** No secret leaks into output, files, addresses or the plain state, and no mask is sent back to the service. */
export const secrets: Rule = {
  name: "secrets",
  judge: (evidence) => [
    ...evidence.phases.flatMap((phase, index) => [
      ...phase.printed.flatMap(({ kind, text }) =>
        heldBy(evidence, text, `a ${kind}`, phaseLine(evidence, index)),
      ),
      ...heldBy(evidence, phase.state.text, "the state's file", phaseLine(evidence, index)),
      ...phase.state.resources.flatMap(({ urn, inputs, outputs }) =>
        heldBy(
          evidence,
          unmarked([inputs, outputs]),
          "the state in the clear",
          phaseLine(evidence, index),
          urn,
        ),
      ),
    ]),
    ...evidence.files.flatMap(({ path, text }) => heldBy(evidence, text, "a file", path)),
    ...evidence.exchanges.flatMap((exchange) => [...inAddress(evidence, exchange), ...masks(exchange)]),
  ],
};

function heldBy({ secrets }: Evidence, text: string, where: string, ...entries: string[]): Finding[] {
  return Object.entries(secrets)
    .filter(([, secret]) => spellings(secret).some((spelling) => text.includes(spelling)))
    .map(([name]) => finding(`the secret "${name}" is in ${where}`, ...entries));
}

/** Returns the forms of a secret in a text: plain, JSON, URL-encoded, and Base64 at each offset. */
function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    const own = encoded
      .slice(offset === 0 ? 0 : offset + 1)
      .replace(/=+$/, "")
      .slice(0, -1);
    return [own, own.replaceAll("+", "-").replaceAll("/", "_")];
  });
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), ...base64];
}

/** Returns the text of everything that is not marked as secret. */
function unmarked(value: unknown): string {
  return JSON.stringify(value, (_, found: unknown) =>
    isRecord(found) && "$secret" in found ? "(secret)" : found,
  );
}

function inAddress(evidence: Evidence, exchange: Exchange): Finding[] {
  const headers = Object.entries(exchange.requestHeaders).filter(([name]) => name !== "authorization");
  const shown = [exchange.target, ...headers.map(([, value]) => value)].join("\n");
  return heldBy(evidence, shown, "an address or a header", lineOf(exchange));
}

/** Finds masks in requests: a mask that is sent back becomes the secret. */
function masks(exchange: Exchange): Finding[] {
  return ["passcode", "secret", "user_data"]
    .filter((field) =>
      /^[*•●]{3,}$|^\[?(redacted|masked|secret)\]?$/i.test(String(member(exchange.requestBody, field))),
    )
    .map((field) => finding(`a mask was sent as ${field}`, lineOf(exchange)));
}
