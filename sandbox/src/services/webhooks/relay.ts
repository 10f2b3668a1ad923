import { z } from "zod";
import { invalid } from "../../core/errors.js";
import { noParameters, outboundUrl } from "../../core/fields.js";
import { operationsWith } from "../../core/operation.js";
import type { WebhooksContext } from "./context.js";
import { OutboundRefusedError, reasonOf } from "./outbound.js";

const operation = operationsWith<WebhooksContext>();

/** Headers that belong to the connection, or that could misrepresent the request. */
const reserved = new Set([
  "connection",
  "content-length",
  "content-type",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, "expected header names");
const headerValue = z
  .string()
  .max(4096)
  .regex(/^[\t\x20-\x7e]*$/, "expected printable ASCII");

/** Specification: "Webhook relay request". */
const relayBody = z.strictObject({
  target_url: outboundUrl.meta({ example: "http://127.0.0.1:9000/hook" }),
  payload: z.record(z.string(), z.unknown()).meta({ example: { hello: "world" } }),
  headers: z
    .record(headerName, headerValue)
    .optional()
    .meta({ example: { "x-source": "relay" } }),
});

/** Assumed: the specification shows no body. */
const relayed = z.strictObject({
  delivered: z.boolean(),
  status_code: z.int().optional(),
  error: z.string().optional(),
});

export const relayOperations = [
  operation({
    id: "relayWebhook",
    summary: "Forward a payload to an address",
    basis: "documented",
    method: "POST",
    path: "/utils/webhooks/relay",
    query: noParameters,
    body: relayBody,
    success: 200,
    response: relayed,
    async handle({ body, context }) {
      const wrong = Object.keys(body.headers ?? {}).find((name) => reserved.has(name.toLowerCase()));
      if (wrong !== undefined) throw invalid(`"headers" may not set ${wrong}.`, `headers.${wrong}`);
      try {
        const { status } = await context.outbound.post(
          body.target_url,
          JSON.stringify(body.payload),
          body.headers ?? {},
        );
        return { data: { delivered: status >= 200 && status < 300, status_code: status } };
      } catch (error) {
        if (error instanceof OutboundRefusedError) throw invalid(error.message, "target_url");
        return { data: { delivered: false, error: reasonOf(error) } };
      }
    },
  }),
];
