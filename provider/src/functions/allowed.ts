import { ResourceError } from "../kernel/diagnostics/errors.js";
import type { AnyFunction } from "./define-function.js";

/** @throws ResourceError when the stack allows documented requests only, and the function needs another. */
export function requireAllowed({ assumed, name }: Pick<AnyFunction, "assumed" | "name">, api: string): void {
  if (!assumed || api !== "documented") return;
  throw new ResourceError({
    code: "LOOKUP_UNSUPPORTED",
    summary: `${name} needs a request that the specification does not show (cloudservices:api is documented)`,
    fixes: [
      { when: "if the service has it", line: "pulumi config set cloudservices:api conventional" },
      { when: "otherwise", line: "the id or the values as settings of the stack" },
    ],
  });
}
