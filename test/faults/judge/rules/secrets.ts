import type { Evidence } from "../../evidence/evidence.js";
import type { Exchange } from "../../evidence/service.js";
import { isRecord, member } from "../facts.js";
import { type Finding, finding, lineOf, phaseLine, type Rule } from "../violation.js";

/** No secret in anything printed, in a file, in an address, or in the clear in the state; and no mask is written back. */
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
    .map(([name]) => finding(`the secret "${name}" stands in ${where}`, ...entries));
}

/** As it may stand in a text: plain, in JSON, in a URL, and in Base64 at each place of a longer text. */
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

/** Everything but what is marked as secret, as text. */
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

/** A service shows a mask instead of a secret; sent back, it would become the secret. */
function masks(exchange: Exchange): Finding[] {
  return ["passcode", "secret", "user_data"]
    .filter((field) =>
      /^[*•●]{3,}$|^\[?(redacted|masked|secret)\]?$/i.test(String(member(exchange.requestBody, field))),
    )
    .map((field) => finding(`a mask was sent as ${field}`, lineOf(exchange)));
}
