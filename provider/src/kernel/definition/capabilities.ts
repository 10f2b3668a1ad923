import type { Settings } from "../settings/settings.js";
import type { Input, Kind } from "./kind.js";

/** What the requests that the settings allow can do with the resources of one kind. */
export interface Capabilities<I extends object, R extends object> {
  /** How a resource is read by its id: by a request for it, from a list, only whether it exists, or not at all. */
  readonly read: "direct" | "list" | "existence" | "none";
  readonly list: boolean;
  readonly delete: boolean;
  readonly update: Kind<I, R>["update"];
  /** Returns whether a request changes this input in place. */
  canUpdate(input: Input<unknown, never>): boolean;
}

/** Returns what the API mode of the settings allows for a kind. */
export function capabilitiesOf<I extends object, R extends object>(
  kind: Kind<I, R>,
  { api }: Settings,
): Capabilities<I, R> {
  if (api === "conventional") {
    return {
      read: "direct",
      list: kind.list !== undefined,
      delete: kind.delete !== undefined,
      update: kind.update,
      canUpdate: () => true,
    };
  }
  const { list, probe, update = kind.update } = kind.documented ?? {};
  return {
    read: list ? "list" : probe ? "existence" : "none",
    list: list === true && kind.list !== undefined,
    delete: false,
    update,
    canUpdate: ({ documentedChange }) => documentedChange === true,
  };
}
