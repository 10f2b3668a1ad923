import type { DnsAnswer, IpInfo } from "cloudservices-sdk";
import { z } from "zod";
import { openText, text } from "../kernel/definition/fields.js";
import { type ArgsOf, defineFunction } from "./define-function.js";

/** Returns the location and network of an IP address. */
export const getIpInfo = defineFunction({
  name: "getIpInfo",
  args: {
    /** An IPv4 or IPv6 address. */
    ip: z.union([z.ipv4(), z.ipv6()], { error: "must be an IPv4 or IPv6 address" }),
  },
  run: (service, { ip }): Promise<IpInfo> => service().utils.lookupIp(ip),
});

/** The address to look up. */
export interface GetIpInfoArgs extends ArgsOf<typeof getIpInfo> {}

/** Looks up DNS records through the service. */
export const lookupDns = defineFunction({
  name: "lookupDns",
  args: {
    /** A domain name. */
    name: text(),
    /** A record type. The specification lists none; the service validates it. */
    type: openText<"A" | "AAAA" | "CNAME" | "MX" | "NS" | "TXT">(),
  },
  run: (service, args): Promise<DnsAnswer> => service().utils.lookupDns(args),
});

/** The DNS records to look up. */
export interface LookupDnsArgs extends ArgsOf<typeof lookupDns> {}
