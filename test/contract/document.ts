import { z } from "zod";

// Loose: the contract does not check what is left out here.
const operationSchema = z.looseObject({
  operationId: z.string(),
  "x-basis": z.enum(["documented", "assumed"]),
  requestBody: z.unknown().optional(),
  responses: z.record(z.string(), z.unknown()),
});

const documentSchema = z.looseObject({
  openapi: z.string(),
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
});

/** An OpenAPI document as a service serves it, whole. */
export type Document = z.infer<typeof documentSchema>;

/** One operation of a document. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  /** With its parameters in braces: `/databases/{id}`. */
  readonly path: string;
  readonly basis: "documented" | "assumed";
  readonly takesBody: boolean;
  /** The status of its success. */
  readonly success: number;
}

/** Fetches the OpenAPI document that a service publishes about itself. */
export async function documentOf(url: string): Promise<Document> {
  const response = await fetch(`${url}/openapi.json`);
  return documentSchema.parse(await response.json());
}

/** The operations of a document, in its order. */
export function operationsIn(document: Document): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId, "x-basis": basis, requestBody, responses }]) => ({
      id: operationId,
      method: method.toUpperCase(),
      path,
      basis,
      takesBody: requestBody !== undefined,
      success: Number(Object.keys(responses).find((status) => status.startsWith("2"))),
    })),
  );
}

/** The operation that a request asks for; the document knows no two that match the same path. */
export function operationFor<O extends Pick<Operation, "method" | "path">>(
  operations: readonly O[],
  method: string,
  path: string,
): O | undefined {
  return operations.find(
    (operation) =>
      operation.method.toUpperCase() === method &&
      new RegExp(`^${operation.path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path),
  );
}
