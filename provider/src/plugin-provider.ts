import { readFileSync } from "node:fs";
import { join } from "node:path";
import { requireAllowed } from "./functions/allowed.js";
import { checkArguments } from "./functions/arguments.js";
import { functions } from "./functions/index.js";
import { isRecord, type Properties } from "./kernel/definition/properties.js";
import { resourceHooksOf } from "./kernel/engine/native/resource-hooks.js";
import type { Invoked, Provider } from "./kernel/engine/native/service.js";
import type { Session } from "./kernel/stack/session.js";
import { ofEachKind } from "./resources/index.js";

function invoke(
  session: Session,
  name: string,
  args: Properties,
  preview: boolean,
): Promise<Invoked> | undefined {
  const definition = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (definition === undefined) return undefined;
  const checked = checkArguments(definition, args);
  if ("problems" in checked) return Promise.resolve({ problems: checked.problems });
  const run = async (): Promise<Invoked> => {
    requireAllowed(definition, session.settings.api);
    const value = await definition.run(() => session.api, checked.args, { preview });
    const result = definition.result === undefined ? value : { [definition.result]: value };
    return { result: isRecord(result) ? result : {}, isSecret: definition.secret === true };
  };
  return run();
}

/** What the native plugin serves: all kinds and functions of this package. */
export const provider: Provider = {
  hooksOf: (process) => ofEachKind((kind) => resourceHooksOf(process, kind)),
  invoke,
  schema: () => readFileSync(join(__dirname, "..", "schema.json"), "utf8"),
};
