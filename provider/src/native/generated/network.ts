// Made from ../../calls/network.ts by tools/write-native.mjs, which npm run build runs. Not edited by hand.
import type * as pulumi from "@pulumi/pulumi";
import type { DnsAnswer, IpInfo } from "cloudservices-sdk";
import type * as network from "../../functions/network.js";
import { functions } from "../../generated/signatures.js";
import { type Inputs, query } from "../native-query.js";

export type { GetIpInfoArgs, LookupDnsArgs } from "../../functions/network.js";
export type { DnsAnswer, IpInfo };

const ipInfo = query(functions.getIpInfo, async () => (await import("../../functions/network.js")).getIpInfo);

/** Returns the location and network of an IP address. Specification: "IP information". */
export function getIpInfo(args: network.GetIpInfoArgs, opts?: pulumi.InvokeOptions): Promise<IpInfo> {
  return ipInfo.promise(args, opts);
}

/** Like {@link getIpInfo}, for outputs. */
export function getIpInfoOutput(args: Inputs<network.GetIpInfoArgs>, opts?: pulumi.InvokeOptions): pulumi.Output<IpInfo> {
  return ipInfo.output(args, opts);
}

const dns = query(functions.lookupDns, async () => (await import("../../functions/network.js")).lookupDns);

/** Looks up DNS records through the service. Specification: "DNS answer". */
export function lookupDns(args: network.LookupDnsArgs, opts?: pulumi.InvokeOptions): Promise<DnsAnswer> {
  return dns.promise(args, opts);
}

/** Like {@link lookupDns}, for outputs. */
export function lookupDnsOutput(args: Inputs<network.LookupDnsArgs>, opts?: pulumi.InvokeOptions): pulumi.Output<DnsAnswer> {
  return dns.output(args, opts);
}
