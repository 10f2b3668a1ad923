import { isIP, isIPv4 } from "node:net";
import { z } from "zod";
import { isPublic } from "../utilities/countries.js";
import { ipInformation, plainAddress } from "../utilities/ip.js";
import { ApiError, invalid } from "./error.js";
import { noBody, nothing } from "./fields.js";
import { operation } from "./operation.js";

/** Specification: "IP information". What is not known is absent (assumed). */
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
    query: nothing,
    body: noBody,
    success: 200,
    answer,
    async handle({ params: { ip_address: ip }, tenant, world }) {
      if (isIP(ip) === 0) throw invalid(`"ip_address" is not an IP address.`, "ip_address");
      const known = await world.addresses.find(tenant, ip);
      if (!known) throw new ApiError(404, "RESOURCE_NOT_FOUND", `The address ${ip} ${whyNot(ip)}.`);
      return { data: { ip, type: typeOf(ip), ...known } };
    },
  }),
];

function typeOf(ip: string): "ipv4" | "ipv6" {
  return isIPv4(ip) ? "ipv4" : "ipv6";
}

function whyNot(ip: string): string {
  return isPublic(plainAddress(ip))
    ? "is in no country that the sandbox's data knows"
    : "is not a public one, so it is nowhere; control can say otherwise";
}
