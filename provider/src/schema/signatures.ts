import { functions } from "../functions/index.js";
import { secretNames } from "../kernel/definition/kind-values.js";
import { kinds } from "./resources.js";

const HEADER =
  "// Made from the definitions in resources/ and functions/ by npm run schema. Not edited by hand.\n";

/** Returns the module with what programs need to know of each definition. It loads without the definitions. */
export function signaturesModule(): string {
  const ofKinds = Object.fromEntries(
    kinds.map((kind) => [
      kind.name,
      {
        name: kind.name,
        inputs: Object.keys(kind.inputs),
        outputs: Object.keys(kind.outputs),
        secrets: [...secretNames(kind)],
      },
    ]),
  );
  const ofFunctions = Object.fromEntries(
    Object.values(functions).map(({ name, result, secret }) => [name, { name, result, secret }]),
  );
  const constant = (name: string, value: object) =>
    `export const ${name} = ${JSON.stringify(value, undefined, 2)} as const;\n`;
  return [HEADER, constant("kinds", ofKinds), constant("functions", ofFunctions)].join("\n");
}
