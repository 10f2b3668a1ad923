import type * as pulumi from "@pulumi/pulumi";
import type { DnsAnswer, IpInfo } from "cloudservices-sdk";
import type * as network from "../functions/network.js";
import { functions } from "../generated/signatures.js";
import { type Inputs, query } from "./query.js";

export type { GetIpInfoArgs, LookupDnsArgs } from "../functions/network.js";
export type { DnsAnswer, IpInfo };

const ipInfo = query(functions.getIpInfo, async () => (await import("../functions/network.js")).getIpInfo);

/** Returns the location and network of an IP address. Specification: "IP information". */
export function getIpInfo(args: network.GetIpInfoArgs): Promise<IpInfo> {
  return ipInfo.promise(args);
}

/** Like {@link getIpInfo}, for outputs. */
export function getIpInfoOutput(args: Inputs<network.GetIpInfoArgs>): pulumi.Output<IpInfo> {
  return ipInfo.output(args);
}

const dns = query(functions.lookupDns, async () => (await import("../functions/network.js")).lookupDns);

/** Looks up DNS records through the service. Specification: "DNS answer". */
export function lookupDns(args: network.LookupDnsArgs): Promise<DnsAnswer> {
  return dns.promise(args);
}

/** Like {@link lookupDns}, for outputs. */
export function lookupDnsOutput(args: Inputs<network.LookupDnsArgs>): pulumi.Output<DnsAnswer> {
  return dns.output(args);
}
