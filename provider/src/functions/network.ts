import type * as pulumi from "@pulumi/pulumi";
import type { DnsAnswer, IpInfo } from "cloudservices-sdk";
import { z } from "zod";
import { text } from "../kernel/definition/fields.js";
import { type Inputs, query } from "./query.js";

export type { DnsAnswer, IpInfo };

/** Which address to tell of. */
export interface GetIpInfoArgs {
  /** An IPv4 or IPv6 address. */
  readonly ip: string;
}

const ipInfo = query({
  name: "getIpInfo",
  args: { ip: z.union([z.ipv4(), z.ipv6()], { error: "must be an IPv4 or IPv6 address" }) },
  ask: (service, { ip }): Promise<IpInfo> => service().utils.lookupIp(ip),
});

/** Place and network of an IP address. Specification: "IP information". */
export function getIpInfo(args: GetIpInfoArgs): Promise<IpInfo> {
  return ipInfo.promise(args);
}

/** As {@link getIpInfo}, with and as outputs. */
export function getIpInfoOutput(args: Inputs<GetIpInfoArgs>): pulumi.Output<IpInfo> {
  return ipInfo.output(args);
}

/** What to ask the DNS. */
export interface LookupDnsArgs {
  /** A domain name. */
  readonly name: string;
  /** A record type. The specification lists none: the service judges it. */
  readonly type: "A" | "AAAA" | "CNAME" | "MX" | "NS" | "TXT" | (string & {});
}

const dns = query({
  name: "lookupDns",
  args: { name: text(), type: text() },
  ask: (service, args): Promise<DnsAnswer> => service().utils.lookupDns(args),
});

/** What the DNS says, asked by the service. Specification: "DNS answer". */
export function lookupDns(args: LookupDnsArgs): Promise<DnsAnswer> {
  return dns.promise(args);
}

/** As {@link lookupDns}, with and as outputs. */
export function lookupDnsOutput(args: Inputs<LookupDnsArgs>): pulumi.Output<DnsAnswer> {
  return dns.output(args);
}
