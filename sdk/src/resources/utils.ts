import { isIP } from "node:net";
import { z } from "zod";
import type { Api } from "../core/api.js";
import type { ApiPromise } from "../core/api-promise.js";
import { operation } from "../core/operation.js";
import type { RequestOptions } from "../core/request-options.js";
import { freeForm, withWireName } from "../core/wire.js";
import { callableUrl, openText, text } from "./fields.js";

const ip = operation({
  call: "utils.lookupIp",
  basis: "documented",
  method: "GET",
  path: "/utils/ip/:ip",
  section: "IP information",
  input: z.undefined(),
  response: z.object({
    ip: z.string().optional(),
    /** `ipv4` or `ipv6`. */
    type: z.string().optional(),
    countryCode: z.string().optional(),
    countryName: z.string().optional(),
    city: z.string().optional(),
    postalCode: z.string().optional(),
    latitude: z.number().optional(),
    longitude: z.number().optional(),
    asn: z.object({ number: z.int().optional(), org: z.string().optional() }).optional(),
    isVpn: z.boolean().optional(),
    isDatacenter: z.boolean().optional(),
  }),
});

const dns = operation({
  call: "utils.lookupDns",
  basis: "documented",
  method: "GET",
  path: "/utils/dns",
  section: "DNS answer",
  input: z.strictObject({
    /** A domain name. */
    name: text(),
    /** A record type, e.g. `A`, `AAAA`, `MX`, `TXT`. */
    type: openText<"A" | "AAAA" | "CNAME" | "MX" | "NS" | "TXT">(),
  }),
  response: z.object({
    question: z.object({ name: z.string().optional(), type: z.string().optional() }).optional(),
    answers: z
      .array(
        z.object({
          name: z.string().optional(),
          type: z.string().optional(),
          /** Seconds. */
          ttl: withWireName(z.int().optional(), "TTL"),
          data: z.string().optional(),
        }),
      )
      .optional(),
  }),
});

const headerValues = z.custom<Record<string, string>>(
  (value) =>
    typeof value === "object" &&
    value !== null &&
    Object.values(value).every((member) => typeof member === "string"),
  "expected an object of header names and their texts",
);

const relay = operation({
  call: "utils.relay",
  basis: "documented",
  method: "POST",
  path: "/utils/webhooks/relay",
  section: "Webhook relay request",
  input: z.strictObject({
    /** The target of the payload. */
    targetUrl: callableUrl(),
    /** Forwarded unchanged, with its member names. */
    payload: freeForm(),
    /** Additional headers, forwarded unchanged. */
    headers: headerValues.optional(),
  }),
  response: z.object({ delivered: z.boolean().optional(), statusCode: z.int().optional() }),
  bodyNotShown: true,
});

export const utilOperations = [ip, dns, relay] as const;

/** Specification: "IP information". */
export type IpInfo = z.output<typeof ip.response>;
/** Specification: "DNS answer". */
export type DnsAnswer = z.output<typeof dns.response>;
/** What to look up. Specification: "Developer utilities". */
export type DnsLookupInput = z.input<typeof dns.input>;
/** Specification: "Webhook relay request". */
export type RelayInput = z.input<typeof relay.input>;
/** The response of the relay. The specification does not show it; all members are assumed. */
export type RelayResponse = z.output<typeof relay.response>;

/** Developer utilities. Specification: "Developer utilities". */
export class Utils {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Returns location and network of an IPv4 or IPv6 address. Documented. */
  lookupIp(address: string, options?: RequestOptions): ApiPromise<IpInfo> {
    // Anything but an address fails like an identifier that does not fit in a path.
    return this.#api.call(ip, { ip: isIP(address) === 0 ? undefined : address }, undefined, options);
  }

  /** Looks up DNS records. Documented. */
  lookupDns(input: DnsLookupInput, options?: RequestOptions): ApiPromise<DnsAnswer> {
    return this.#api.call(dns, {}, input, options);
  }

  /**
   * Makes the service send a payload to an address. Documented, except the response body. A relay whose response is lost
   * is never retried: its error is `ambiguous`.
   */
  relay(input: RelayInput, options?: RequestOptions): ApiPromise<RelayResponse> {
    return this.#api.call(relay, {}, input, options);
  }
}
