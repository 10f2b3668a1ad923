import type { Kind } from "../../definition/kind.js";
import { secretNames } from "../../definition/kind-values.js";
import { IMPORTED_KEY, isPresent, type Properties } from "../../definition/properties.js";
import { type OperationTimeouts, timeoutsOf } from "../../definition/timeouts.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { PartialFailure } from "../../diagnostics/errors.js";
import { createResource } from "../../lifecycle/create.js";
import { deleteResource } from "../../lifecycle/delete.js";
import {
  readWithoutState,
  requireImportable,
  requireUnclaimed,
  warnOfBelieved,
  withDeclared,
} from "../../lifecycle/import.js";
import { planChange } from "../../lifecycle/plan-change.js";
import { readResource } from "../../lifecycle/read.js";
import { updateResource } from "../../lifecycle/update.js";
import { check } from "../../plan/check.js";
import type { Difference } from "../../plan/diff.js";
import { outputsOfCreation, outputsOfUpdate } from "../../plan/preview.js";
import { Operation } from "../../stack/operation.js";
import { scopesOf } from "../../stack/scope.js";
import type { Session } from "../../stack/session.js";
import { describeResource } from "../../state/describe.js";
import { sameKey } from "../../state/guard.js";
import type { StoredResource } from "../../state/outputs.js";
import { readState } from "../../state/resource-state.js";
import { withStateObject } from "../../state/state-text.js";
import { IMPORT_KEY, listIn, REPLACE_KEY, TIMEOUTS_KEY, withoutClassInputs } from "../class-inputs.js";
import type { ProviderProcess } from "../process.js";
import { representable, wellFormed } from "../representable.js";
import { markedSecrets, received, withSecrets } from "../wire-values.js";

/** What every call is about. */
export interface Subject {
  readonly urn: string;
  /** The session of the run. */
  readonly session: Session;
}

/** A call about a resource that exists: its outputs and inputs in the state. */
export interface Existing extends Subject {
  readonly id: string;
  readonly outputs: Properties;
  readonly inputs: Properties;
}

/** The limit that the program sets, in seconds; zero for none. */
interface Limited {
  readonly timeout: number;
}

/** The calls of the engine about the resources of one kind. Values are in the engine's form, both ways. */
export interface ResourceHooks {
  check(request: Subject & { readonly olds: Properties; readonly news: Properties }): {
    readonly inputs: Properties;
    readonly failures: readonly Diagnostic[];
  };
  diff(request: Existing & { readonly news: Properties }): Difference;
  previewCreate(request: Subject & { readonly news: Properties }): Properties;
  create(request: Subject & Limited & { readonly news: Properties }): Promise<StoredResource>;
  previewUpdate(request: Existing & { readonly news: Properties }): Properties;
  update(request: Existing & Limited & { readonly news: Properties }): Promise<Properties>;
  /** @param request.isImport - The engine imports the resource, so neither the program nor the state has it yet. */
  read(request: Existing & { readonly isImport: boolean }): Promise<StoredResource | undefined>;
  delete(request: Existing & Limited): Promise<void>;
}

/** Returns the calls about the resources of one kind. */
export function resourceHooksOf<I extends object, R extends object>(
  provider: ProviderProcess,
  kind: Kind<I, R>,
): ResourceHooks {
  const own = secretNames(kind);
  const scopeOf = scopesOf(kind);

  /** Returns values in the kernel's form. What the dynamic form has stored besides, the engine sends here. */
  function entering(values: Properties): Properties {
    const entered = withoutClassInputs(withStateObject(kind, received(values)));
    provider.addSecrets(entered, secretsAmong(markedSecrets(values)));
    return entered;
  }

  const secretsAmong = (marked: readonly string[]): ReadonlySet<string> => new Set([...own, ...marked]);

  /** Returns inputs in the engine's form. */
  const inputsLeaving = (inputs: Properties, marked: readonly string[]): Properties =>
    withSecrets(representable(inputs), secretsAmong(marked));

  /** Returns outputs in the engine's form. */
  const outputsLeaving = (outputs: Properties, marked: readonly string[]): Properties =>
    provider.storable(outputs, { kind, secrets: secretsAmong(marked) });

  /** Returns the outputs of a resource that was created or changed, which must stay in the state. */
  const outputsToKeep = (inputs: Properties, outputs: Properties, marked: readonly string[]): Properties =>
    provider.storableOr(inputs, outputs, { kind, secrets: secretsAmong(marked) });

  const defaults = timeoutsOf({}, kind.timeouts);

  const operationOf = ({ urn, session }: Subject, secrets: readonly string[], timeouts = defaults) =>
    new Operation(scopeOf(session), { urn, timeouts, secrets });

  /** Runs an operation that may send requests, within its timeout. */
  function operate<T>(
    subject: Subject,
    name: keyof OperationTimeouts,
    timeout: number,
    marked: readonly string[],
    work: (operation: Operation<I, R>) => Promise<T>,
  ): Promise<T> {
    const timeouts = timeout > 0 ? { ...defaults, [name]: timeout * 1_000 } : defaults;
    const operation = operationOf(subject, marked, timeouts);
    return operation.within(name, () => work(operation));
  }

  /** Passes on the failure of a resource that exists, with its outputs in the engine's form. */
  async function keeping<T>(news: Properties, marked: readonly string[], work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PartialFailure)) throw error;
      const outputs = outputsToKeep(news, { ...error.outputs }, marked);
      throw new PartialFailure(error.diagnostic, wellFormed(error.resourceId), outputs);
    }
  }

  /** Returns what the state has of a resource, with the inputs of the program where an import has read it. */
  function stored({ outputs, inputs }: Existing, news?: Properties) {
    const before = entering(outputs);
    return withDeclared(kind, before, received(inputs), news);
  }

  return {
    check({ urn, session, olds, news }) {
      const given = entering(news);
      const before = entering(olds);
      // An import passes what it has read as the program's inputs.
      const isImported = given[IMPORTED_KEY] === true;
      const passed = received(news);
      const isImport = passed[IMPORT_KEY] === true;
      const declaration = { urn, isImport, replaceOnChanges: listIn(passed, REPLACE_KEY) };
      // The engine keeps a resource whose import was rejected.
      if (isImport && before[IMPORTED_KEY] === true) session.claims.noteImporting(urn);
      const checked = check(kind, before, given, declaration, session.settings, session.names);
      for (const note of checked.notes) session.warnOnce(urn, `${describeResource(kind, urn)}: ${note}`);
      const inputs = isImported ? { ...checked.inputs, [IMPORTED_KEY]: true } : checked.inputs;
      const failures = isPresent(news[TIMEOUTS_KEY])
        ? [...checked.failures, notAnInput(kind.name)]
        : checked.failures;
      return { inputs: inputsLeaving(inputs, markedSecrets(news)), failures };
    },

    diff(request) {
      const { id, urn, session } = request;
      const operation = operationOf(request, markedSecrets(request.news));
      const news = entering(request.news);
      const { outputs, believed } = stored(request, news);
      const planned = planChange(operation, id, outputs, news);
      warnOfOtherKey(session, outputs);
      const isFirstRun = received(request.inputs)[IMPORTED_KEY] === true;
      if (isFirstRun && (session.claims.isImported(kind.name, id) || session.claims.isImporting(urn)))
        requireImportable(operation, id, planned.changed, outputs);
      warnOfBelieved(operation, id, believed);
      return planned;
    },

    previewCreate: ({ news }) => outputsLeaving(outputsOfCreation(kind, entering(news)), markedSecrets(news)),

    create(request) {
      const marked = markedSecrets(request.news);
      return operate(request, "create", request.timeout, marked, (operation) =>
        keeping(request.news, marked, async () => {
          const { id, outputs } = await createResource(operation, entering(request.news));
          return { id: wellFormed(id), outputs: outputsToKeep(request.news, outputs, marked) };
        }),
      );
    },

    previewUpdate(request) {
      const news = entering(request.news);
      const { outputs } = stored(request, news);
      const marked = [...markedSecrets(request.news), ...markedSecrets(request.outputs)];
      const { changed } = planChange(operationOf(request, marked), request.id, outputs, news);
      return outputsLeaving(outputsOfUpdate(kind, outputs, news, changed), marked);
    },

    update(request) {
      const marked = markedSecrets(request.news);
      return operate(request, "update", request.timeout, marked, (operation) =>
        keeping(request.news, marked, async () => {
          const { outputs } = stored(request, entering(request.news));
          const updated = await updateResource(operation, request.id, outputs, entering(request.news));
          return outputsToKeep(request.news, updated, marked);
        }),
      );
    },

    read(request) {
      const marked = [...markedSecrets(request.inputs), ...markedSecrets(request.outputs)];
      return operate(request, "read", 0, marked, async (operation) => {
        const { id, session } = request;
        const isImported = received(request.inputs)[IMPORTED_KEY] === true;
        const isWithoutState = Object.keys(request.outputs).length === 0 || isImported;
        if (request.isImport) requireUnclaimed(operation, id);
        const found = isWithoutState
          ? await readWithoutState(operation, id)
          : await readResource(operation, id, stored(request).outputs);
        if (found === undefined) return undefined;
        if (isWithoutState) session.claims.markImported(kind.name, id);
        return {
          id: found.id,
          outputs: outputsLeaving(found.outputs, marked),
          ...(found.inputs ? { inputs: inputsLeaving(found.inputs, marked) } : {}),
        };
      });
    },

    delete: (request) =>
      operate(request, "delete", request.timeout, markedSecrets(request.outputs), (operation) =>
        deleteResource(operation, request.id, stored(request).outputs),
      ),
  };
}

/** Nothing shows whether another key is of the same account: a resource may have got another provider. */
function warnOfOtherKey(session: Session, outputs: Properties): void {
  const memory = readState(outputs);
  if (!memory || sameKey(session.settings, memory)) return;
  session.warnOnce(
    undefined,
    "The API key differs from the one with which resources were last seen, because it was rotated or they have another " +
      "provider now. `pulumi refresh --run-program` shows whether this key can read them.",
  );
}

const notAnInput = (kind: string): Diagnostic => ({
  code: "INPUT_UNKNOWN",
  summary: `${kind} has no input "customTimeouts"`,
  fixes: [{ line: 'the option customTimeouts: { create: "1h" }' }],
});
