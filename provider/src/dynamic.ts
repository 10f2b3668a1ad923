import type { Handler } from "./kernel/engine/dynamic.js";
import { handlerOfClass } from "./resource.js";
import * as resources from "./resources/index.js";

type Handlers = Readonly<Record<keyof typeof resources, Handler>>;

// The cast restores the names of the list, which `Object.fromEntries` widens to any text.
const known = Object.fromEntries(
  Object.entries(resources).map(([kind, resource]) => [kind, handlerOfClass(resource)]),
) as Handlers;

/**
 * The hooks by kind, which the text in every state loads. This export is permanent: a kind may be added, never renamed
 * or removed.
 */
export const handlers: Handlers = new Proxy(known, {
  get(kinds, kind, receiver): unknown {
    // Kinds are capitalised; inspectors and promises look for other properties.
    if (typeof kind === "string" && /^[A-Z]/.test(kind) && !Object.hasOwn(kinds, kind))
      throw unknownKind(kind);
    return Reflect.get(kinds, kind, receiver);
  },
});

/** Returns an error without a stack, which the engine's host would print. */
function unknownKind(kind: string): Error {
  const message =
    `This version of pulumi-cloudservices has no resource kind "${kind}": the resource was declared by a newer version. ` +
    `Upgrade the package in ${process.env["PULUMI_CLOUDSERVICES_FROM"] ?? process.cwd()}.`;
  return Object.assign(new Error(message), { stack: "" });
}
