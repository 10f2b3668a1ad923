import { request as plain } from "node:http";
import { request as encrypted } from "node:https";
import type { LookupFunction } from "node:net";

/** A URL and the addresses to connect to, whatever its host resolves to later. */
export interface Target {
  readonly url: URL;
  readonly addresses: ReadonlyArray<{ readonly address: string; readonly family: number }>;
}

/** Sends one POST request and resolves with the response's status. Does not follow redirects. */
export function send(
  { url, addresses }: Target,
  body: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<number> {
  const lookup: LookupFunction = (name, options, answer) => {
    const [first] = addresses;
    if (options.all) answer(null, [...addresses]);
    else if (first) answer(null, first.address, first.family);
    else answer(new Error(`${name} has no address`), "", 4);
  };
  return new Promise((resolve, reject) => {
    const start = url.protocol === "https:" ? encrypted : plain;
    const request = start(url, { method: "POST", headers, lookup, signal, agent: false }, (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    request.on("error", (error) => reject(signal.aborted ? signal.reason : error));
    request.end(body);
  });
}
