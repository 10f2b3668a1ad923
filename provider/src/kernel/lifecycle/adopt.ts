import { disagreements, lacksUpdate } from "../definition/changes.js";
import type { Input, Kind } from "../definition/kind.js";
import { fieldsOf, inputsOf, valueIn } from "../definition/kind-values.js";
import { parsedUrl } from "../definition/parsed-url.js";
import { isPresent, type Properties } from "../definition/properties.js";
import type { Fix } from "../diagnostics/diagnostic.js";
import { PartialFailure, ResourceError } from "../diagnostics/errors.js";
import { validateTransition } from "../plan/cross-field.js";
import type { Operation } from "../stack/operation.js";
import { withArticle } from "../state/describe.js";
import { outputsOf } from "../state/outputs.js";
import { readDocumented, requireSameId } from "./remote.js";
import { changesOf, type Progress, updateContext, waitFor } from "./wait.js";

/** Reads the resource to adopt. Refuses one that cannot become what the program describes. */
export async function readForAdoption<I extends object, R extends object>(
  operation: Operation<I, R>,
  values: Properties,
  id: string,
): Promise<R> {
  const { kind, session } = operation;
  const remote =
    operation.capabilities.read === "direct"
      ? requireSameId(kind, id, await kind.read(session.api, id))
      : await readDocumented(operation, id);
  if (remote === undefined || remote === "exists") {
    throw new ResourceError({
      code: "ADOPT_UNSUPPORTED",
      summary: `${operation.describe(id)} cannot be adopted`,
      cause: `the specification shows no request that reads ${withArticle(kind.name)} (cloudservices:api is documented). Nothing was done.`,
      fixes: [
        {
          when: "if an interrupted run left it",
          line: `delete ${id} at the service, remove \`adopt\` from the program, then pulumi up`,
        },
        { when: "otherwise", line: "remove `adopt` from the program, then pulumi up creates a new one" },
      ],
    });
  }
  if (operation.isImport) requireSame(operation, values, id, remote);
  requireCompatible(operation, values, id, remote);
  session.claims.markAdopted(kind.name, id);
  return remote;
}

/** @throws ResourceError when a field that the service returns differs from the program. */
function requireSame<I extends object, R extends object>(
  operation: Operation<I, R>,
  values: Properties,
  id: string,
  remote: R,
): void {
  const differing = disagreements(operation.kind, values, remote);
  if (differing.length === 0) return;
  throw new ResourceError({
    code: "IMPORT_MISMATCH",
    summary: `${operation.describe(id)} cannot be imported: ${differing.join(", ")} differs from the program`,
    cause: "nothing was done.",
    fixes: [
      {
        when: "to keep the resource as it is",
        line: `${shownAs(operation, differing, remote)} in the program`,
      },
      { when: "to change the resource", line: `adopt: "${id}" instead of the option \`import\`` },
    ],
  });
}

/** Returns what the program would contain to describe these fields of a resource. */
function shownAs<I extends object, R extends object>(
  operation: Operation<I, R>,
  fields: readonly string[],
  remote: R,
): string {
  const shown = fieldsOf(operation.kind).map(([field, input]): [string, unknown] => [
    field,
    valueIn(input, remote),
  ]);
  return fieldsAsProgram(operation, fields, Object.fromEntries(shown));
}

/** Returns what the program would contain for some fields with these values. A secret is not shown. */
export function fieldsAsProgram<I extends object, R extends object>(
  { secrets }: Operation<I, R>,
  fields: readonly string[],
  values: Properties,
): string {
  return fields
    .map((field) => {
      const value = values[field];
      if (!isPresent(value)) return `no \`${field}\``;
      return `\`${field}: ${secrets.has(field) || mayContainToken(value) ? "<its value>" : JSON.stringify(value)}\``;
    })
    .join(", ");
}

/** Whether a value is a URL that may contain a token, as the addresses of webhooks often do. */
function mayContainToken(value: unknown): boolean {
  const url = parsedUrl(value);
  if (url === undefined) return false;
  const { username, search, hash, pathname } = url;
  return (
    username !== "" || search !== "" || hash !== "" || pathname.split("/").some(({ length }) => length > 15)
  );
}

/** @throws ResourceError when no update can make the resource what the program describes. */
export function requireCompatible<I extends object, R extends object>(
  operation: Operation<I, R>,
  values: Properties,
  id: string,
  remote: R,
): void {
  const { kind, capabilities, session } = operation;
  const resource = operation.describe(id);
  const mismatch = (summary: string, cause: string, fixes: readonly Fix[]) =>
    new ResourceError({
      code: "ADOPT_MISMATCH",
      summary: `${resource} cannot be adopted: ${summary}`,
      cause: `${cause} Nothing was done.`,
      fixes: isPresent(values["adopt"])
        ? fixes.slice(0, 3)
        : [
            ...fixes.slice(0, 2),
            { when: "if an interrupted run left it", line: `delete ${id} at the service, then pulumi up` },
          ],
    });
  const differing = new Set(disagreements(kind, values, remote));
  const differ = (where: (input: Input<unknown, R>) => boolean) =>
    fieldsOf(kind)
      .filter(([field, input]) => differing.has(field) && where(input))
      .map(([field]) => field);
  const refuse = (fields: readonly string[], why: string) => {
    if (fields.length === 0) return;
    throw mismatch(
      `its ${fields.join(", ")} ${fields.length === 1 ? "differs" : "differ"} from the program`,
      `${why}.`,
      [
        {
          when: "to keep the resource as it is",
          line: `${shownAs(operation, fields, remote)} in the program, then pulumi up`,
        },
      ],
    );
  };
  refuse(
    differ((input) => input.onChange === "replace"),
    "only a new resource could change that",
  );
  refuse(
    differ((input) => lacksUpdate(input, capabilities)),
    `the specification shows no request that updates ${withArticle(kind.name)} (cloudservices:api is documented)`,
  );
  const is = Object.fromEntries(fieldsOf(kind).map(([field, input]) => [field, valueIn(input, remote)]));
  const refused = validateTransition(kind, is, values, session.settings);
  if (refused.length === 0) return;
  throw mismatch("a rule forbids the change", `${refused.map(({ summary }) => summary).join("; ")}.`, [
    ...refused.flatMap(({ fixes }) => fixes ?? []),
    { line: "describe the resource in the program as it is" },
  ]);
}

/** An existing resource that the program adopts. */
export interface Adopted<R> {
  readonly id: string;
  readonly remote: R;
  /** An interrupted run left it. It may have optional fields that the program no longer gives. */
  readonly isLeftover: boolean;
  /** The id of its entry in the state. */
  readonly entry: string;
  readonly progress: Progress;
}

/**
 * Updates an adopted resource to what the program describes, and returns the response. Fields that the service does
 * not return are sent too, because they may differ.
 */
export async function applyToAdopted<I extends object, R extends object>(
  operation: Operation<I, R>,
  values: Properties,
  { id, remote, isLeftover, entry, progress }: Adopted<R>,
): Promise<R | undefined> {
  const { kind, session } = operation;
  warnOfUnverified(operation, values, id, remote);
  if (operation.capabilities.read !== "direct" || !kind.update) return remote;
  const inputs = inputsOf(kind, values);
  let last = remote;
  let fields = fieldsToUpdate(kind, values, last, isLeftover);
  if (fields.length === 0) return remote;
  const ready = waitFor(operation, id, "create", () => undefined);
  try {
    // A leftover may still be pending, and shows more fields when it is ready.
    if (kind.readiness?.phase(last) === "pending") {
      last = await ready();
      fields = fieldsToUpdate(kind, values, last, isLeftover);
      if (fields.length === 0) return last;
    }
    const context = updateContext<I, R>({ before: inputs, after: inputs }, progress, ready);
    return await kind.update(session.api, id, changesOf(kind, fields, inputs), context);
  } catch (error) {
    // Fields that were not sent are not recorded, so that the next run sends them.
    const held = Object.fromEntries(Object.entries(values).filter(([field]) => !fields.includes(field)));
    const removed = fields.filter((field) => !isPresent(values[field]));
    const outputs = outputsOf(
      kind,
      session.settings,
      held,
      last,
      {},
      {
        ready: false,
        everReady: true,
        entry,
        restore: progress.restore,
        ...(removed.length > 0 ? { uncertain: removed } : {}),
      },
    );
    throw new PartialFailure(
      {
        code: "ADOPTED_NOT_UPDATED",
        summary: `${operation.describe(id)} was adopted, but not updated`,
        cause: progress.explain(error),
        fixes:
          progress.note === "" ? [...progress.fixes(error), { when: "to continue", line: "pulumi up" }] : [],
      },
      id,
      outputs,
    );
  }
}

/** Returns the fields that differ, or may differ, and can be updated. */
function fieldsToUpdate<I extends object, R extends object>(
  kind: Kind<I, R>,
  values: Properties,
  remote: R,
  isLeftover: boolean,
): string[] {
  const differing = disagreements(kind, values, remote);
  const isUnlike = (field: string, input: Input<unknown, R>) => {
    if (isPresent(values[field])) return !input.from || differing.includes(field);
    const canBeThere = !input.from || isPresent(valueIn(input, remote));
    return isLeftover && canBeThere && input.optional && input.default === undefined;
  };
  return fieldsOf(kind)
    .filter(([field, input]) => input.onChange === "update" && isUnlike(field, input))
    .map(([field]) => field);
}

/** Warns of fields that can neither be compared nor updated. */
function warnOfUnverified<I extends object, R extends object>(
  operation: Operation<I, R>,
  values: Properties,
  id: string,
  remote: R,
): void {
  const { kind, capabilities } = operation;
  const believed = fieldsOf(kind)
    .filter(([field, input]) => isPresent(values[field]) && !isPresent(valueIn(input, remote)))
    .filter(([, input]) => input.onChange === "replace" || lacksUpdate(input, capabilities))
    .map(([field]) => field);
  if (believed.length === 0) return;
  operation.warn(
    `${operation.describe(id)} was adopted. The service does not return its ${believed.join(", ")}, so these values are unverified. ` +
      "A wrong value cannot be corrected in place: remove the resource from the state with `pulumi state delete` " +
      "and adopt it again. Until you have checked, set the option `protect: true`, which prevents a replacement.",
  );
}
