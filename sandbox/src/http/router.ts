import { ApiError } from "../core/errors.js";
import type { ServiceOperation } from "../services/operations.js";

export interface Match {
  readonly operation: ServiceOperation;
  readonly params: Readonly<Record<string, string>>;
}

interface Route {
  readonly pattern: RegExp;
  readonly byMethod: Map<string, ServiceOperation>;
}

/** Finds the operation for a method and a path below the base URL. */
export class Router {
  readonly #routes: Route[] = [];

  constructor(operations: readonly ServiceOperation[]) {
    const byPath = new Map<string, Map<string, ServiceOperation>>();
    for (const operation of operations) {
      const byMethod = byPath.get(operation.path) ?? new Map<string, ServiceOperation>();
      byMethod.set(operation.method, operation);
      byPath.set(operation.path, byMethod);
    }
    for (const [path, byMethod] of byPath) this.#routes.push({ pattern: patternOf(path), byMethod });
  }

  match(method: string, path: string): Match {
    for (const { pattern, byMethod } of this.#routes) {
      const found = pattern.exec(path);
      if (!found) continue;
      const operation = byMethod.get(method);
      if (operation) return { operation, params: decoded(found.groups ?? {}) };
      const allowed = [...byMethod.keys()].join(", ");
      throw new ApiError(
        405,
        "METHOD_NOT_ALLOWED",
        `${path} supports ${allowed}, not ${method}.`,
        undefined,
        {
          allow: allowed,
        },
      );
    }
    throw new ApiError(404, "ROUTE_NOT_FOUND", `There is no endpoint ${method} ${path}.`);
  }
}

function patternOf(path: string): RegExp {
  const source = path.replaceAll(".", "\\.").replaceAll(/:(\w+)/g, "(?<$1>[^/]+)");
  return new RegExp(`^${source}$`);
}

function decoded(groups: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decode(value)]));
}

/** Decodes a path segment. An undecodable one matches no id, so it stays as it is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
