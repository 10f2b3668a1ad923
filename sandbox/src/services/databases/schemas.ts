import { z } from "zod";
import { keysOf } from "../../core/catalogue.js";
import { name, region } from "../../core/fields.js";
import { databasePlans, engineVersions } from "./catalogue.js";

const plan = z.enum(keysOf(databasePlans)).meta({ example: "db-starter-1" });
const assumed = { description: "Assumed: the specification shows `postgresql` only." };
const common = {
  name,
  plan,
  region,
  vpc_id: z
    .string()
    .regex(/^vpc_[A-Za-z0-9]{1,64}$/, "expected the identifier of a private network")
    .optional()
    .meta({ example: "vpc_1" }),
};

/** Specification: the table of engines shows connection pooling for PostgreSQL only. */
const noPool = z.literal(false, "connection pooling is available for postgresql only").optional();

/** Specification: "Database", request fields. Which ones are required is assumed. */
export const createBody = z.discriminatedUnion("engine", [
  z.strictObject({
    ...common,
    engine: z.literal("postgresql"),
    version: z.enum(engineVersions.postgresql).meta({ example: "16" }),
    enable_connection_pool: z.boolean().optional(),
  }),
  z.strictObject({
    ...common,
    engine: z.literal("mysql").meta(assumed),
    version: z.enum(engineVersions.mysql),
    enable_connection_pool: noPool,
  }),
  z.strictObject({
    ...common,
    engine: z.literal("redis").meta(assumed),
    version: z.enum(engineVersions.redis),
    enable_connection_pool: noPool,
  }),
  z.strictObject({
    ...common,
    engine: z.literal("valkey").meta(assumed),
    version: z.enum(engineVersions.valkey),
    enable_connection_pool: noPool,
  }),
  z.strictObject({
    ...common,
    engine: z.literal("mongodb").meta(assumed),
    version: z.enum(engineVersions.mongodb),
    enable_connection_pool: noPool,
  }),
]);

export const updateBody = z.strictObject({
  name: name.optional(),
  plan: plan.optional(),
  version: z.enum(Object.values(engineVersions).flat()).optional(),
  enable_connection_pool: z.boolean().optional(),
});

/** Specification: "Database", response fields. Without an address its fields are absent (assumed). */
export const database = z.strictObject({
  id: z.string(),
  name: z.string(),
  engine: z.string(),
  version: z.string(),
  status: z.string(),
  status_reason: z.string().optional().meta({
    description: "Assumed: why the status is failed, or why a change or a deletion is being retried.",
  }),
  host: z.string().optional(),
  port: z.int().optional(),
  database: z.string().optional(),
  username: z.string().optional(),
  connection_uri: z.string().optional(),
  pool_uri: z.string().optional(),
  ssl_required: z.boolean().optional(),
});
