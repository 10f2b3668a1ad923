import type * as pulumi from "@pulumi/pulumi";
import type { DnsAnswer, IpInfo } from "cloudservices-sdk";
import { z } from "zod";
import { text } from "../kernel/definition/fields.js";
import { type Inputs, query } from "./query.js";

export type { DnsAnswer, IpInfo };

/** The address to look up. */
export interface GetIpInfoArgs {
  /** An IPv4 or IPv6 address. */
  readonly ip: string;
}

const ipInfo = query({
  name: "getIpInfo",
  args: { ip: z.union([z.ipv4(), z.ipv6()], { error: "must be an IPv4 or IPv6 address" }) },
  run: (service, { ip }): Promise<IpInfo> => service().utils.lookupIp(ip),
});

/** Returns the location and network of an IP address. Specification: "IP information". */
export function getIpInfo(args: GetIpInfoArgs): Promise<IpInfo> {
  return ipInfo.promise(args);
}

/** Like {@link getIpInfo}, for outputs. */
export function getIpInfoOutput(args: Inputs<GetIpInfoArgs>): pulumi.Output<IpInfo> {
  return ipInfo.output(args);
}

/** The DNS records to look up. */
export interface LookupDnsArgs {
  /** A domain name. */
  readonly name: string;
  /** A record type. The specification lists none; the service validates it. */
  readonly type: "A" | "AAAA" | "CNAME" | "MX" | "NS" | "TXT" | (string & {});
}

const dns = query({
  name: "lookupDns",
  args: { name: text(), type: text() },
  run: (service, args): Promise<DnsAnswer> => service().utils.lookupDns(args),
});

/** Looks up DNS records through the service. Specification: "DNS answer". */
export function lookupDns(args: LookupDnsArgs): Promise<DnsAnswer> {
  return dns.promise(args);
}

/** Like {@link lookupDns}, for outputs. */
export function lookupDnsOutput(args: Inputs<LookupDnsArgs>): pulumi.Output<DnsAnswer> {
  return dns.output(args);
}
