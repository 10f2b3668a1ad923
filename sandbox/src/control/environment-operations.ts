import { z } from "zod";
import { ApiError } from "../core/errors.js";
import { faultSchema } from "../http/faults.js";
import { zoneRecord } from "../services/dns/zone.js";
import { mailSchema } from "../services/inboxes/mail.js";
import { ipInformation } from "../services/ip/information.js";
import { eventNames } from "../services/webhooks/deliveries.js";
import { type Clock, isInstant, timestamp } from "../state/clock.js";
import { controlOperation, done, noBody, noParameters, tenantQuery } from "./operation.js";
import * as responses from "./responses.js";

const clockBody = z.discriminatedUnion("do", [
  z.strictObject({ do: z.literal("freeze"), at: z.iso.datetime({ offset: true }).optional() }),
  z.strictObject({ do: z.literal("resume") }),
  z.strictObject({ do: z.literal("advance"), ms: z.number().min(0).max(3_153_600_000_000) }),
]);
const eventBody = z.strictObject({
  tenant: z.string().min(1).default("local"),
  event: z.enum(eventNames),
  data: z.record(z.string(), z.unknown()).default({}),
});
const rateBody = z.strictObject({ requests: z.int().min(1), perMs: z.int().min(1) }).nullable();

/** Returns the clock in its wire form. */
export function clockState(clock: Clock): z.output<typeof responses.clock> {
  return { now: timestamp(clock.now()), frozen: clock.frozen };
}

/** Operations on everything around resources: faults, limits, time, mail, DNS, deliveries. */
export const environmentOperations = [
  controlOperation({
    id: "getRootCertificate",
    summary: "The root certificate of PostgreSQL and SMTP, in PEM",
    method: "GET",
    path: "/root.crt",
    query: noParameters,
    body: noBody,
    response: z.string(),
    contentType: "application/x-pem-file",
    handle: async ({ certificate }) => Buffer.from((await certificate()).certificate),
  }),
  controlOperation({
    id: "listFaults",
    summary: "List the faults in force",
    method: "GET",
    path: "/faults",
    query: noParameters,
    body: noBody,
    response: z.array(responses.activeFault),
    handle: ({ control }) => control.faults.list(),
  }),
  controlOperation({
    id: "addFault",
    summary: "Add a fault",
    method: "POST",
    path: "/faults",
    query: noParameters,
    body: faultSchema,
    response: z.strictObject({ id: z.string() }),
    handle: ({ control, body }) => ({ id: control.faults.add(body) }),
  }),
  controlOperation({
    id: "clearFaults",
    summary: "Remove all faults",
    method: "DELETE",
    path: "/faults",
    query: noParameters,
    body: noBody,
    response: done,
    handle: ({ control }) => control.faults.clear(),
  }),
  controlOperation({
    id: "clearFault",
    summary: "Remove a fault",
    method: "DELETE",
    path: "/faults/:id",
    query: noParameters,
    body: noBody,
    response: done,
    handle: ({ control, id }) => control.faults.clear(id),
  }),
  controlOperation({
    id: "setRateLimit",
    summary: "Set the rate limit of each tenant; null lifts it",
    method: "PUT",
    path: "/rate-limit",
    query: noParameters,
    body: rateBody,
    response: done,
    handle: ({ control, body }) => control.limitRate(body ?? undefined),
  }),
  controlOperation({
    id: "getClock",
    summary: "Read the virtual clock",
    method: "GET",
    path: "/clock",
    query: noParameters,
    body: noBody,
    response: responses.clock,
    handle: ({ clock }) => clockState(clock),
  }),
  controlOperation({
    id: "setClock",
    summary: "Freeze, resume or advance the virtual clock",
    method: "POST",
    path: "/clock",
    query: noParameters,
    body: clockBody,
    response: responses.clock,
    async handle({ control, clock, body }) {
      if (body.do === "freeze") control.clock.freeze(body.at === undefined ? undefined : new Date(body.at));
      else if (body.do === "resume") control.clock.resume();
      else if (!isInstant(clock.now() + body.ms))
        throw new ApiError(400, "VALIDATION_ERROR", `ms: no date is ${body.ms} ms later than now.`);
      else await control.clock.advance(body.ms);
      return clockState(clock);
    },
  }),
  controlOperation({
    id: "sendMail",
    summary: "Put a mail into inboxes",
    method: "POST",
    path: "/mail",
    query: noParameters,
    body: mailSchema,
    response: z.strictObject({ received: z.int() }),
    handle: async ({ control, body }) => ({ received: await control.sendMail(body) }),
  }),
  controlOperation({
    id: "setZone",
    summary: "Replace the DNS zone of a tenant",
    method: "PUT",
    path: "/zone",
    query: tenantQuery,
    body: z.array(zoneRecord),
    response: done,
    handle: ({ control, body, query }) => control.setZone(body, query.tenant),
  }),
  controlOperation({
    id: "setIp",
    summary: "Set what is known of an IP address",
    method: "PUT",
    path: "/ip/:id",
    idPattern: "[0-9A-Fa-f.:]+",
    query: tenantQuery,
    body: ipInformation,
    response: done,
    handle: ({ control, id, body, query }) => control.setIp(id, body, query.tenant),
  }),
  controlOperation({
    id: "listDeliveries",
    summary: "List notifications and mail pushes, oldest first",
    method: "GET",
    path: "/deliveries",
    query: tenantQuery,
    body: noBody,
    response: z.array(responses.delivery),
    handle: ({ control, query }) => control.deliveries(query.tenant),
  }),
  controlOperation({
    id: "emitEvent",
    summary: "Send a notification as if the event had happened",
    method: "POST",
    path: "/events",
    query: noParameters,
    body: eventBody,
    response: done,
    handle: ({ control, body: { tenant, event, data } }) => control.emit(tenant, event, data),
  }),
];
