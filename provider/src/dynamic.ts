import { handlerOf } from "./kernel/engine/dynamic/hooks.js";
import { ofEachKind } from "./resources/index.js";

const known = ofEachKind(handlerOf);

/**
 * The hooks by kind, which the text in every state loads. This export is permanent: a kind may be added, never renamed
 * or removed.
 */
export const handlers = new Proxy(known, {
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
    `Upgrade the package in ${process.cwd()}.`;
  return Object.assign(new Error(message), { stack: "" });
}
