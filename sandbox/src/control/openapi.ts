import { z } from "zod";
import { schemaOf } from "../http/openapi.js";
import { type ControlOperation, noBody } from "./operation.js";
import { controlOperations } from "./operations.js";

type Json = Readonly<Record<string, unknown>>;

const objectSchema = z.object({
  properties: z.record(z.string(), z.unknown()).default({}),
});
const errorSchema = z.strictObject({ error: z.strictObject({ code: z.string(), message: z.string() }) });

/** Returns the OpenAPI 3.1 document of control, made from the schemas that validate its requests. */
export function controlOpenApi(url: string): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of controlOperations) {
    const path = operation.path.replace(":id", "{id}");
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Cloud Services sandbox: control", version: "1" },
    servers: [{ url: `${url}/_sandbox` }],
    paths,
    components: { schemas: { Error: schemaOf(errorSchema, "output") } },
  };
}

function describe(operation: ControlOperation): Json {
  const { id, summary, path, query, body, response } = operation;
  const { contentType = "application/json", bodyType = "application/json" } = operation;
  const parameters = Object.entries(objectSchema.parse(schemaOf(query, "output")).properties);
  return {
    operationId: id,
    summary,
    parameters: [
      ...(path.includes(":id") ? [pathParameter(operation)] : []),
      ...parameters.map(([name, schema]) => ({ name, in: "query", required: false, schema })),
    ],
    ...(body !== noBody && {
      requestBody: {
        required: !body.safeParse(undefined).success,
        content: { [bodyType]: { schema: schemaOf(body, "input") } },
      },
    }),
    responses: {
      200: { description: "Done", content: { [contentType]: { schema: schemaOf(response, "output") } } },
      default: {
        description: "Error",
        content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
      },
    },
  };
}

function pathParameter({ idPattern = "\\w+" }: ControlOperation): Json {
  return { name: "id", in: "path", required: true, schema: { type: "string", pattern: `^${idPattern}$` } };
}
