import type { IncomingMessage } from "node:http";
import { invalid } from "./errors.js";

/** Assumed: the specification gives no maximum. */
const MAX_BODY_BYTES = 1_048_576;

/** Assumed. Limits the recursion of code that walks through a body. */
const MAX_DEPTH = 100;

/** Reads a body of limited size; returns `undefined` for a larger one, whose rest is discarded. */
export async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    if (!Buffer.isBuffer(part)) continue;
    size += part.length;
    if (size <= MAX_BODY_BYTES) parts.push(part);
  }
  return size <= MAX_BODY_BYTES ? Buffer.concat(parts) : undefined;
}

/**
 * Parses a JSON body. Specification: "Request bodies are JSON".
 * @throws ApiError where it is too large, too deep or not JSON.
 */
export function parseBody(body: Buffer | undefined, contentType: string | undefined): unknown {
  if (body === undefined) throw invalid(`The body is larger than ${MAX_BODY_BYTES} bytes.`);
  if (body.length === 0) return undefined;
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(contentType ?? "")) {
    throw invalid(`The Content-Type must be application/json.`);
  }
  const value = jsonOf(body);
  if (isDeeper(value, MAX_DEPTH)) throw invalid(`The body is nested deeper than ${MAX_DEPTH} levels.`);
  return value;
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    throw invalid("The body is not well-formed JSON.");
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}
