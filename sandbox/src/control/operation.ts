import { z } from "zod";
import type { CertificateSource } from "../core/certificate.js";
import type { Clock } from "../state/clock.js";
import type { Store } from "../state/store.js";
import type { SandboxControl } from "./sandbox-control.js";

/** What control operations act on. */
export interface ControlTarget {
  readonly control: SandboxControl;
  readonly clock: Clock;
  readonly store: Store;
  readonly certificate: CertificateSource;
}

interface ControlCall<Query, Body> extends ControlTarget {
  /** The value of `:id` in the path; empty where the path has none. */
  readonly id: string;
  readonly query: Query;
  readonly body: Body;
  /** Aborts when the client leaves. */
  readonly left: AbortSignal;
}

interface Definition<Query extends z.ZodType, Body extends z.ZodType> {
  /** The `operationId` of the OpenAPI document. */
  readonly id: string;
  readonly summary: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below `/_sandbox`, with at most one parameter, `:id`. */
  readonly path: string;
  /** A regular expression for `:id`; `\w+` by default. */
  readonly idPattern?: string;
  /** Other parameters are ignored. */
  readonly query: Query;
  readonly body: Body;
  readonly response: z.ZodType;
  /** The type of a file; the handler then returns the file's path, its bytes, or a stream of them. */
  readonly contentType?: string;
  /** The type of a body that is saved to a file; the handler then gets the file's path. */
  readonly bodyType?: string;
  handle(call: ControlCall<z.output<Query>, z.output<Body>>): unknown;
}

/** An action on the sandbox: what the router matches, what the OpenAPI document shows, and what runs. */
export interface ControlOperation extends Omit<Definition<z.ZodType, z.ZodType>, "handle"> {
  readonly pattern: RegExp;
  readonly run: (call: ControlCall<unknown, unknown>) => unknown;
}

export function controlOperation<Query extends z.ZodType, Body extends z.ZodType>(
  definition: Definition<Query, Body>,
): ControlOperation {
  const { handle, ...shown } = definition;
  const { path, idPattern = "\\w+", query, body } = definition;
  return {
    ...shown,
    pattern: new RegExp(`^${path.replaceAll(".", "\\.").replace(":id", `(${idPattern})`)}$`),
    run: (call) => handle({ ...call, query: query.parse(call.query), body: body.parse(call.body) }),
  };
}

export const noParameters = z.object({});
export const noBody = z.unknown().transform(() => undefined);
export const tenantQuery = z.object({ tenant: z.string().exactOptional() });
/** The empty response. */
export const done = z.strictObject({});
