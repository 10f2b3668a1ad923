import { expect, test } from "vitest";
import { z } from "zod";
import { apiClientFor, sandboxFor } from "../../test/api-client.js";
import { operationsOf } from "../services/operations.js";

const operation = z.object({
  operationId: z.string(),
  "x-basis": z.enum(["documented", "assumed"]),
  responses: z.record(z.string(), z.unknown()),
});
const documentSchema = z.object({
  openapi: z.literal("3.1.0"),
  paths: z.record(z.string(), z.record(z.string(), operation)),
});

test.each(["conventional", "documented"] as const)(
  "the %s document has every operation and its basis",
  async (profile) => {
    const sandbox = await sandboxFor({ profile });
    const document = documentSchema.parse(await (await fetch(`${sandbox.url}/openapi.json`)).json());
    const shown = Object.values(document.paths).flatMap((item) => Object.values(item));
    const expected = operationsOf(profile).map(({ id, basis }) => ({ operationId: id, "x-basis": basis }));
    expect(shown.map(({ operationId, "x-basis": basis }) => ({ operationId, "x-basis": basis }))).toEqual(
      expect.arrayContaining(expected),
    );
    expect(shown).toHaveLength(expected.length);
  },
);

test("a creation links to everything that can be done to what it made", async () => {
  const sandbox = await sandboxFor();
  const document = documentSchema.parse(await (await fetch(`${sandbox.url}/openapi.json`)).json());
  const created = Object(document.paths["/tempmail/inboxes"]?.["post"]?.responses["201"]);
  expect(created.links).toEqual({
    getInbox: { operationId: "getInbox", parameters: { inbox_id: "$response.body#/data/inbox_id" } },
    deleteInbox: expect.anything(),
    listMessages: expect.anything(),
  });
});

test("schemas say what requests are checked for", async () => {
  const sandbox = await sandboxFor();
  const document = Object(await (await fetch(`${sandbox.url}/openapi.json`)).json());
  const body = document.paths["/tempmail/inboxes"].post.requestBody.content["application/json"].schema;
  expect(body.additionalProperties).toBe(false);
  expect(body.properties.ttl_minutes).toMatchObject({ type: "integer", minimum: 1, maximum: 1440 });
  const [limit] = document.paths["/databases"].get.parameters;
  expect(limit).toMatchObject({
    name: "limit",
    required: false,
    schema: { type: "integer", minimum: 1, maximum: 100, default: 20 },
  });
});

test("the address in an error leads to what its code means", async () => {
  const sandbox = await sandboxFor();
  const refused = await apiClientFor(sandbox)("GET", "/databases/db_1");
  const { doc_url } = JSON.parse(refused.text).error;
  const page = Object(await (await fetch(doc_url)).json());
  expect(page[new URL(doc_url).hash.slice(1)]).toEqual({
    status: 404,
    meaning: "The resource does not exist.",
  });
});
