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
    /** The address. */
    ip: z.string().optional(),
    /** The kind of the address: `ipv4` or `ipv6`. */
    type: z.string().optional(),
    /** The two-letter country code. */
    countryCode: z.string().optional(),
    /** The name of the country. */
    countryName: z.string().optional(),
    /** The city. */
    city: z.string().optional(),
    /** The postal code. */
    postalCode: z.string().optional(),
    /** The latitude in degrees. */
    latitude: z.number().optional(),
    /** The longitude in degrees. */
    longitude: z.number().optional(),
    /** The autonomous system that the address belongs to. */
    asn: z
      .object({
        /** The number of the autonomous system. */
        number: z.int().optional(),
        /** The organisation that runs it. */
        org: z.string().optional(),
      })
      .optional(),
    /** Whether the address belongs to a VPN. */
    isVpn: z.boolean().optional(),
    /** Whether the address belongs to a data centre. */
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
    /** What was looked up. */
    question: z
      .object({
        /** The domain name. */
        name: z.string().optional(),
        /** The record type. */
        type: z.string().optional(),
      })
      .optional(),
    /** The records that exist. */
    answers: z
      .array(
        z.object({
          /** The domain name. */
          name: z.string().optional(),
          /** The record type. */
          type: z.string().optional(),
          /** How long the record may be cached, in seconds. */
          ttl: withWireName(z.int().optional(), "TTL"),
          /** The value of the record. */
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
