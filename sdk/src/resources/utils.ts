import { isIP } from "node:net";
import { z } from "zod";
import type { Api } from "../core/api.js";
import type { ApiPromise } from "../core/api-promise.js";
import { operation } from "../core/operation.js";
import type { RequestOptions } from "../core/request-options.js";
import type { Integer, OpenText, ShapeOf } from "../core/shapes.js";
import { freeForm, knownText, withWireName } from "../core/wire.js";
import { callableUrl, openText, text } from "./fields.js";

/** The network that an address belongs to. Specification: "IP information", `asn`. */
export interface AutonomousSystem {
  /** The number of the autonomous system. */
  readonly number: Integer;
  /** The organisation that runs it. */
  readonly org: string;
}

/** Location and network of an IP address. What the service does not know is absent (assumed). Specification: "IP information". */
export interface IpInfo {
  /** The address. */
  readonly ip: string;
  /** The kind of the address: `ipv4` or `ipv6`. */
  readonly type: OpenText<"ipv4" | "ipv6">;
  /** The two-letter country code. */
  readonly countryCode?: string | undefined;
  /** The name of the country. */
  readonly countryName?: string | undefined;
  /** The city. */
  readonly city?: string | undefined;
  /** The postal code. */
  readonly postalCode?: string | undefined;
  /** The latitude in degrees. */
  readonly latitude?: number | undefined;
  /** The longitude in degrees. */
  readonly longitude?: number | undefined;
  /** The autonomous system that the address belongs to. */
  readonly asn?: AutonomousSystem | undefined;
  /** Whether the address belongs to a VPN. */
  readonly isVpn?: boolean | undefined;
  /** Whether the address belongs to a data centre. */
  readonly isDatacenter?: boolean | undefined;
}

const ip = operation({
  call: "utils.lookupIp",
  basis: "documented",
  method: "GET",
  path: "/utils/ip/:ip",
  section: "IP information",
  input: z.undefined(),
  response: z.object({
    ip: z.string(),
    type: knownText<"ipv4" | "ipv6">(),
    countryCode: z.string().optional(),
    countryName: z.string().optional(),
    city: z.string().optional(),
    postalCode: z.string().optional(),
    latitude: z.number().optional(),
    longitude: z.number().optional(),
    asn: z.object({ number: z.int(), org: z.string() } satisfies ShapeOf<AutonomousSystem>).optional(),
    isVpn: z.boolean().optional(),
    isDatacenter: z.boolean().optional(),
  } satisfies ShapeOf<IpInfo>),
});

/** The types of DNS records that editors complete. */
export type DnsRecordType = "A" | "AAAA" | "CNAME" | "MX" | "NS" | "TXT";

/** The input of `utils.lookupDns`. Specification: "Developer utilities". */
export interface DnsLookupInput {
  /** A domain name. */
  readonly name: string;
  /** A record type, e.g. `A`, `AAAA`, `MX`, `TXT`. */
  readonly type: OpenText<DnsRecordType>;
}

/** What was looked up. Specification: "DNS answer", `question`. */
export interface DnsQuestion {
  /** The domain name. */
  readonly name: string;
  /** The record type. */
  readonly type: OpenText<DnsRecordType>;
}

/** A DNS record. Specification: "DNS answer", `answers`. */
export interface DnsRecord {
  /** The domain name. */
  readonly name: string;
  /** The record type. */
  readonly type: OpenText<DnsRecordType>;
  /** How long the record may be cached, in seconds. */
  readonly ttl: Integer;
  /** The value of the record. */
  readonly data: string;
}

/** The result of a DNS lookup. Specification: "DNS answer". */
export interface DnsAnswer {
  /** What was looked up. */
  readonly question: DnsQuestion;
  /** The records that exist. */
  readonly answers: DnsRecord[];
}

const dns = operation({
  call: "utils.lookupDns",
  basis: "documented",
  method: "GET",
  path: "/utils/dns",
  section: "DNS answer",
  input: z.strictObject({
    name: text(),
    type: openText<DnsRecordType>(),
  } satisfies ShapeOf<DnsLookupInput>),
  response: z.object({
    question: z.object({
      name: z.string(),
      type: knownText<DnsRecordType>(),
    } satisfies ShapeOf<DnsQuestion>),
    answers: z.array(
      z.object({
        name: z.string(),
        type: knownText<DnsRecordType>(),
        ttl: withWireName(z.int(), "TTL"),
        data: z.string(),
      } satisfies ShapeOf<DnsRecord>),
    ),
  } satisfies ShapeOf<DnsAnswer>),
});

/** The input of `utils.relay`. Specification: "Webhook relay request". */
export interface RelayInput {
  /** The target of the payload: https, or http on this machine for a local sandbox. */
  readonly targetUrl: string;
  /** Forwarded unchanged, with its member names. */
  readonly payload: Record<string, unknown>;
  /** Additional headers, forwarded unchanged. */
  readonly headers?: Record<string, string> | undefined;
}

/** The response of the relay. The specification does not show it; all members are assumed. */
export interface RelayResponse {
  /** Whether the target accepted the payload. */
  readonly delivered?: boolean | undefined;
  /** The HTTP status of the target's response. */
  readonly statusCode?: Integer | undefined;
}

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
    targetUrl: callableUrl(),
    payload: freeForm(),
    headers: headerValues.optional(),
  } satisfies ShapeOf<RelayInput>),
  response: z.object({
    delivered: z.boolean().optional(),
    statusCode: z.int().optional(),
  } satisfies ShapeOf<RelayResponse>),
  bodyNotShown: true,
});

export const utilOperations = [ip, dns, relay] as const;

/** Developer utilities. Specification: "Developer utilities". */
export class Utils {
  readonly #api: Api;

  /** @param api - The result of `connect`. */
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
