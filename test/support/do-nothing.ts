import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isShownSecret, plain, type State } from "./state.js";

const folder = fileURLToPath(new URL("../fixtures/do-nothing/", import.meta.url));

/** The properties that a user sees. */
const shown = (values: Readonly<Record<string, unknown>>) =>
  Object.entries(values).filter(([key]) => !key.startsWith("__"));

/**
 * Returns the files of a program with a provider that does nothing. Its resources have the types, ids, inputs and
 * outputs of a state that was exported with its secrets shown.
 */
export function doingNothing(state: State): Record<string, string> {
  const known = state.resources.map(({ urn, type, id, inputs, outputs }) => {
    const plainly = (values: typeof inputs) =>
      Object.fromEntries(shown(values).map(([key, value]) => [key, plain(value)]));
    const secrets = shown({ ...inputs, ...outputs }).filter(([, value]) => isShownSecret(value));
    return {
      kind: type.split(":").at(-1),
      name: urn.split("::").slice(3).join("::"),
      id,
      inputs: plainly(inputs),
      outputs: plainly(outputs),
      secrets: secrets.map(([key]) => key),
    };
  });
  const file = (name: string) => readFileSync(folder + name, "utf8");
  return {
    "index.js": file("index.js"),
    "hooks.js": file("hooks.js"),
    "known.json": JSON.stringify(known),
  };
}
