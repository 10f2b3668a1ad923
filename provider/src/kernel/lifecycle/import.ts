import type { Kind } from "../definition/kind.js";
import { fieldsOf } from "../definition/kind-values.js";
import { IMPORTED_KEY, isPresent, type Properties, STATE_KEY } from "../definition/properties.js";
import { ResourceError } from "../diagnostics/errors.js";
import type { Operation } from "../stack/operation.js";
import { describeResource, withArticle } from "../state/describe.js";
import type { StoredResource } from "../state/outputs.js";
import { readState } from "../state/resource-state.js";
import { fieldsAsProgram } from "./adopt.js";
import { readResource } from "./read.js";

/*
 * An import reads a resource that the state does not contain. The program's inputs are compared with what the service
 * returns. Fields that it does not return are believed: the import sends nothing.
 */

/** Reads a resource without a state: to import it, or for `get`. Returns undefined when it does not exist. */
export async function readWithoutState<I extends object, R extends object>(
  operation: Operation<I, R>,
  id: string,
): Promise<StoredResource | undefined> {
  const { kind, capabilities } = operation;
  if (!kind.action && (capabilities.read === "existence" || capabilities.read === "none")) {
    throw new ResourceError({
      code: "GET_UNSUPPORTED",
      summary: `${operation.describe(id)} cannot be read or imported`,
      cause: `the specification shows no request that reads ${withArticle(kind.name)} (cloudservices:api is documented).`,
    });
  }
  let found: StoredResource | undefined;
  try {
    found = await readResource(operation, id, {});
  } catch (error) {
    if (error instanceof ResourceError && error.diagnostic.code === "GET_NOT_FOUND") return undefined;
    throw error;
  }
  if (found === undefined) return undefined;
  const memory = readState(found.outputs);
  const unread = fieldsOf(kind)
    .filter(([field, { optional }]) => !optional && !isPresent(found.outputs[field]))
    .map(([field]) => field);
  const state = { ...memory, imported: true, ...(unread.length === 0 ? {} : { unread }) };
  const outputs = { ...found.outputs, [STATE_KEY]: state };
  return { id, outputs, inputs: { ...shownInputs(kind, outputs), [IMPORTED_KEY]: true } };
}

/** @throws ResourceError when another resource of this stack has the id, as far as this process knows. */
export function requireUnclaimed<I extends object, R extends object>(
  { kind, session, urn }: Operation<I, R>,
  id: string,
): void {
  const other = session.claims.claimImport(kind.name, id, urn);
  if (other === undefined || kind.action) return;
  throw new ResourceError({
    code: "ALREADY_MANAGED",
    summary: `${describeResource(kind, urn, id)} cannot be imported: ${describeResource(kind, other)} is the same resource`,
    cause: `${urn} and ${other} have one id. Nothing was done.`,
    fixes: [
      { when: "if the id is wrong", line: "correct it, or remove one of the two imports" },
      { when: "to rename it in the program", line: "the option `aliases`" },
    ],
  });
}

/** Returns the inputs that the service returned, without values that the kind itself would reject. */
function shownInputs<I extends object, R extends object>(kind: Kind<I, R>, outputs: Properties): Properties {
  const shown = fieldsOf(kind).filter(
    ([field, { schema }]) => isPresent(outputs[field]) && schema.safeParse(outputs[field]).success,
  );
  return Object.fromEntries(shown.map(([field]) => [field, outputs[field]]));
}

/** An imported resource with the inputs that its program has declared. */
interface Declared {
  readonly outputs: Properties;
  /** The inputs that the service has not returned and that the state does not have yet. */
  readonly believed: readonly string[];
}

/**
 * Returns the outputs of an imported resource with the inputs of its program.
 *
 * @param inputs - The inputs in the state: those of the program's last run, or those that the import has read.
 * @param news - The program's inputs.
 */
export function withDeclared<I extends object, R extends object>(
  kind: Kind<I, R>,
  outputs: Properties,
  inputs: Properties,
  news: Properties = inputs,
): Declared {
  const memory = readState(outputs);
  if (!memory) return { outputs, believed: [] };
  const isFirstRun = inputs[IMPORTED_KEY] === true;
  const isUnknown = (field: string) => !isPresent(inputs[field]) && !isPresent(outputs[field]);
  // While the program has the option `ignoreChanges`, the engine removes a required input that the import could not read.
  const added = (isFirstRun ? [] : (memory.unread ?? [])).filter(
    (field) => isUnknown(field) && isPresent(news[field]),
  );
  if (!memory.imported && added.length === 0) return { outputs, believed: [] };
  const declared = isFirstRun ? news : inputs;
  const known = memory.imported
    ? Object.keys(kind.inputs).filter((field) => isPresent(declared[field]))
    : memory.given;
  const given = [...known, ...added];
  const believed = (memory.imported ? given : added).filter((field) => !isPresent(outputs[field]));
  const values = Object.fromEntries(believed.map((field) => [field, declared[field] ?? news[field]]));
  return {
    outputs: { ...outputs, ...values, [STATE_KEY]: { ...memory, given } },
    believed: believed.filter(isUnknown),
  };
}

/** @throws ResourceError when the program describes another resource than the one that this run imports. */
export function requireImportable<I extends object, R extends object>(
  operation: Operation<I, R>,
  id: string,
  changed: readonly string[],
  outputs: Properties,
): void {
  if (changed.length === 0) return;
  throw new ResourceError({
    code: "IMPORT_MISMATCH",
    summary: `${operation.describe(id)} cannot be imported: ${changed.join(", ")} differs from the program`,
    cause: "nothing was done at the service. The engine keeps the resource in the state.",
    fixes: [
      {
        when: "to keep the resource as it is",
        line: `${fieldsAsProgram(operation, changed, outputs)} in the program`,
      },
      { when: "to change the resource", line: "pulumi up without the option `import`" },
      { when: "to forget the resource", line: `pulumi state delete '${operation.urn}'` },
    ],
  });
}

/** Warns of what the import could not compare. */
export function warnOfBelieved<I extends object, R extends object>(
  operation: Operation<I, R>,
  id: string,
  believed: readonly string[],
): void {
  if (believed.length === 0) return;
  operation.session.warnOnce(
    operation.urn,
    `${operation.describe(id)} was imported. The service does not return its ${believed.join(", ")}, so these values are ` +
      "unverified, and nothing was sent. Until you have checked them, set the option `protect: true`.",
  );
}
