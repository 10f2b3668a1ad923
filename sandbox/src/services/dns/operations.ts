import { z } from "zod";
import { ApiError } from "../../core/errors.js";
import { noBody } from "../../core/fields.js";
import { operationsWith } from "../../core/operation.js";
import type { DnsContext } from "./context.js";
import { lookUpRecords } from "./lookup.js";
import { NameServerError } from "./name-servers.js";
import { normalizeName, recordTypes } from "./zone.js";

const operation = operationsWith<DnsContext>();

/** Specification: the names of both parameters. The default of `type` is assumed. */
const dnsQuery = z.strictObject({
  name: z
    .string()
    .max(253)
    .regex(
      /^([A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\.)*[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\.?$/,
      "expected a domain name",
    )
    .meta({ example: "example.com" }),
  type: z
    .string()
    .toUpperCase()
    .pipe(z.enum(recordTypes, `expected one of ${recordTypes.join(", ")}`))
    .default("A"),
});

/** Specification: "DNS answer". */
const dnsAnswer = z.strictObject({
  question: z.strictObject({ name: z.string(), type: z.string() }),
  answers: z.array(z.strictObject({ name: z.string(), type: z.string(), TTL: z.int(), data: z.string() })),
});

export const dnsOperations = [
  operation({
    id: "lookUpDns",
    summary: "Look up a name in the DNS",
    basis: "documented",
    method: "GET",
    path: "/utils/dns",
    query: dnsQuery,
    body: noBody,
    success: 200,
    response: dnsAnswer,
    async handle({ context, tenant, query: { name, type } }) {
      const found = await lookUpRecords(context.store, context.nameServers, tenant, name, type).catch(
        noAnswer,
      );
      const answers = found.map((record) => ({
        name: record.name,
        type: record.type,
        TTL: record.ttl,
        data: record.data,
      }));
      return { data: { question: { name: normalizeName(name), type }, answers } };
    },
  }),
];

/** Assumed: 500 is the only error of the specification that means "try again". */
function noAnswer(error: unknown): never {
  if (error instanceof NameServerError) throw new ApiError(500, "INTERNAL_ERROR", error.message);
  throw error;
}
