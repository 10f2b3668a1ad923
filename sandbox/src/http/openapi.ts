import { z } from "zod";
import type { Profile } from "../core/context.js";
import { errorCodes } from "../core/errors.js";
import { operationsOf, type ServiceOperation } from "../services/operations.js";

type Json = Readonly<Record<string, unknown>>;

const errorBody = z.strictObject({
  status: z.literal("error"),
  error: z.strictObject({
    code: z.string(),
    message: z.string(),
    field: z.string().optional(),
    doc_url: z.string(),
  }),
});
const meta = { request_id: z.string(), timestamp: z.int() };
const pageMeta = { has_more: z.boolean(), next_cursor: z.string().nullable(), total_count: z.int() };

/** Operations that create resources, and where their response holds the id. */
const creations: Readonly<Record<string, { readonly member: string; readonly parameter: string }>> = {
  createLink: { member: "id", parameter: "id" },
  createDatabase: { member: "id", parameter: "id" },
  createVps: { member: "id", parameter: "id" },
  createWebhook: { member: "id", parameter: "id" },
  createInbox: { member: "inbox_id", parameter: "inbox_id" },
};

/**
 * Returns the OpenAPI 3.1 document of a profile, made from the schemas that validate requests. `x-basis` says whether
 * the specification shows an operation.
 */
export function openApiOf(profile: Profile, baseUrl: string): Json {
  const operations = operationsOf(profile);
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operations) {
    const path = operation.path.replaceAll(/:(\w+)/g, "{$1}");
    const item = paths[path] ?? {};
    item[operation.method.toLowerCase()] = describe(operation, operations);
    paths[path] = item;
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Cloud Services Developer API (sandbox)",
      version: "1",
      description:
        "The operations of the sandbox. The service's specification shows those with `x-basis: documented`; those with `x-basis: assumed` complete it by REST conventions.",
    },
    servers: [{ url: baseUrl }],
    security: [{ apiKey: [] }],
    paths,
    components: {
      securitySchemes: { apiKey: { type: "http", scheme: "bearer", description: "sandbox_<tenant>" } },
      schemas: { Error: schemaOf(errorBody, "output") },
    },
  };
}

function describe(operation: ServiceOperation, all: readonly ServiceOperation[]): Json {
  const body = bodyOf(operation);
  return {
    operationId: operation.id,
    summary: operation.summary,
    tags: [operation.path.split("/")[1] ?? ""],
    "x-basis": operation.basis,
    parameters: [...pathParameters(operation), ...queryParameters(operation)],
    ...(body && { requestBody: body }),
    responses: {
      [operation.success]: { description: "Done", content: content(operation), ...linksFrom(operation, all) },
      ...errorsOf(operation),
    },
  };
}

function pathParameters({ path }: ServiceOperation): Json[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema:
      name === "ip_address"
        ? { type: "string", anyOf: [{ format: "ipv4" }, { format: "ipv6" }] }
        : { type: "string", minLength: 1 },
  }));
}

function queryParameters({ query }: ServiceOperation): Json[] {
  // The input of a query schema is text; its output shows the type.
  const { properties } = objectSchema.parse(schemaOf(query, "output"));
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: objectSchema.parse(schemaOf(query, "input")).required.includes(name),
    schema,
  }));
}

const objectSchema = z.object({
  properties: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  required: z.array(z.string()).default([]),
});

function bodyOf({ body, method }: ServiceOperation): Json | undefined {
  if (method === "GET" || method === "DELETE") return undefined;
  const schema = schemaOf(body, "input");
  return { required: !body.safeParse({}).success, content: { "application/json": { schema } } };
}

function content(operation: ServiceOperation): Json {
  if (operation.contentType !== undefined) return { [operation.contentType]: { schema: { type: "string" } } };
  const isPage = Object.hasOwn(
    objectSchema.parse(schemaOf(operation.query, "output")).properties,
    "starting_after",
  );
  const envelope = z.strictObject({
    status: z.literal("success"),
    data: operation.response,
    meta: z.strictObject(isPage ? { ...meta, ...pageMeta } : meta),
  });
  return { "application/json": { schema: schemaOf(envelope, "output") } };
}

/** Links from a creation to all operations on what it created. */
function linksFrom(operation: ServiceOperation, all: readonly ServiceOperation[]): Json {
  const creation = creations[operation.id];
  if (operation.id === "putBackupSchedule") {
    const same = { parameters: { id: "$request.path.id" } };
    const followers = ["getBackupSchedule", "deleteBackupSchedule"].filter((id) =>
      all.some((each) => each.id === id),
    );
    return {
      links: Object.fromEntries(followers.map((operationId) => [operationId, { operationId, ...same }])),
    };
  }
  if (operation.id === "listMessages") {
    const first = { operationId: "getMessage", parameters: { message_id: "$response.body#/data/0/id" } };
    return { links: { getMessage: first } };
  }
  if (!creation) return {};
  const followers = all.filter(({ path }) => path.startsWith(`${operation.path}/:`));
  const links = followers.map(({ id }) => [
    id,
    { operationId: id, parameters: { [creation.parameter]: `$response.body#/data/${creation.member}` } },
  ]);
  return { links: Object.fromEntries(links) };
}

function errorsOf({ path, method }: ServiceOperation): Json {
  const statuses = new Set([400, 401, 429, 500]);
  if (method !== "GET") for (const status of [403, 409]) statuses.add(status);
  if (path.includes(":")) statuses.add(404);
  return Object.fromEntries(
    [...statuses].sort().map((status) => [
      status,
      {
        description: Object.values(errorCodes).find((each) => each.status === status)?.meaning ?? "Error",
        content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
      },
    ]),
  );
}

export function schemaOf(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _dialect, ...shown } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return shown;
}
