import { isIP, isIPv4 } from "node:net";
import { z } from "zod";
import { ApiError, invalid } from "../../core/errors.js";
import { noBody, noParameters } from "../../core/fields.js";
import { normalizeAddress } from "../../core/network-addresses.js";
import { operationsWith } from "../../core/operation.js";
import type { IpContext } from "./context.js";
import { isPublic } from "./countries.js";
import { ipInformation } from "./information.js";

const operation = operationsWith<IpContext>();

/** Specification: "IP information". Unknown fields are absent (assumed). */
const answer = z.strictObject({
  ip: z.string(),
  type: z.enum(["ipv4", "ipv6"]),
  ...ipInformation.shape,
});

export const ipOperations = [
  operation({
    id: "getIpInformation",
    summary: "Where an IP address is, and whose",
    basis: "documented",
    method: "GET",
    path: "/utils/ip/:ip_address",
    query: noParameters,
    body: noBody,
    success: 200,
    response: answer,
    async handle({ params: { ip_address: ip }, tenant, context }) {
      if (isIP(ip) === 0) throw invalid(`"ip_address" is not an IP address.`, "ip_address");
      const known = await context.ipDirectory.find(tenant, ip);
      if (!known) throw new ApiError(404, "RESOURCE_NOT_FOUND", `The address ${ip} ${whyNot(ip)}.`);
      return { data: { ip, type: typeOf(ip), ...known } };
    },
  }),
];

function typeOf(ip: string): "ipv4" | "ipv6" {
  return isIPv4(ip) ? "ipv4" : "ipv6";
}

function whyNot(ip: string): string {
  return isPublic(normalizeAddress(ip))
    ? "has no known country"
    : "is not public; control can set its information";
}
