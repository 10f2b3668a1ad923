import type { Kind } from "../../definition/kind.js";
import { secretNames } from "../../definition/kind-values.js";
import {
  IMPORT_KEY,
  IMPORTED_KEY,
  isPresent,
  PROVIDER_KEY,
  type Properties,
  REPLACE_KEY,
  SECRETS_KEY,
  URN_KEY,
} from "../../definition/properties.js";
import { type OperationTimeouts, timeoutsOf } from "../../definition/timeouts.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { PartialFailure } from "../../diagnostics/errors.js";
import { createResource } from "../../lifecycle/create.js";
import { deleteResource } from "../../lifecycle/delete.js";
import { readWithoutState, requireImportable, warnOfBelieved, withDeclared } from "../../lifecycle/import.js";
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
  read(request: Existing): Promise<StoredResource | undefined>;
  delete(request: Existing & Limited): Promise<void>;
}

/** The hidden inputs that only the dynamic provider stores: here, the engine sends what they contain. */
const OF_DYNAMIC: readonly string[] = [URN_KEY, SECRETS_KEY, PROVIDER_KEY, IMPORT_KEY, "customTimeouts"];

const without = (values: Properties, names: readonly string[]): Properties =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));

/** Returns the calls about the resources of one kind. */
export function resourceHooksOf<I extends object, R extends object>(
  provider: ProviderProcess,
  kind: Kind<I, R>,
): ResourceHooks {
  const own = secretNames(kind);
  const scopeOf = scopesOf(kind);

  /** Returns values in the kernel's form, with the URN and the marks of secrets that it reads as hidden inputs. */
  function entering(urn: string, values: Properties): Properties {
    const secrets = markedSecrets(values);
    const entered = without(received(values), OF_DYNAMIC);
    provider.addSecrets(entered, new Set([...own, ...secrets]));
    return { ...entered, [URN_KEY]: urn, ...(secrets.length > 0 ? { [SECRETS_KEY]: secrets } : {}) };
  }

  const secretsAmong = (marked: readonly string[]): ReadonlySet<string> => new Set([...own, ...marked]);

  /** Returns inputs in the engine's form. */
  const inputsLeaving = (inputs: Properties, marked: readonly string[]): Properties =>
    withSecrets(without(representable(inputs), OF_DYNAMIC), secretsAmong(marked));

  /** Returns outputs in the engine's form. */
  const outputsLeaving = (outputs: Properties, marked: readonly string[]): Properties =>
    provider.storable(without(outputs, OF_DYNAMIC), secretsAmong(marked));

  /** Returns the outputs of a resource that was created or changed, which must stay in the state. */
  const outputsToKeep = (inputs: Properties, outputs: Properties, marked: readonly string[]): Properties =>
    provider.storableOr(inputs, without(outputs, OF_DYNAMIC), secretsAmong(marked));

  const defaults = timeoutsOf({}, kind.timeouts);

  const operationOf = ({ urn, session }: Subject, timeouts = defaults) =>
    new Operation(scopeOf(session), { urn, timeouts });

  /** Runs an operation that may send requests, within its timeout. */
  function operate<T>(
    subject: Subject,
    name: keyof OperationTimeouts,
    timeout: number,
    work: (operation: Operation<I, R>) => Promise<T>,
  ): Promise<T> {
    const timeouts = timeout > 0 ? { ...defaults, [name]: timeout * 1_000 } : defaults;
    const operation = operationOf(subject, timeouts);
    return operation.within(name, () => work(operation));
  }

  /** Passes on the failure of a resource that exists, with its outputs in the engine's form. */
  async function keeping<T>(news: Properties, work: (marked: readonly string[]) => Promise<T>): Promise<T> {
    const marked = markedSecrets(news);
    try {
      return await work(marked);
    } catch (error) {
      if (!(error instanceof PartialFailure)) throw error;
      const outputs = outputsToKeep(news, { ...error.outputs }, marked);
      throw new PartialFailure(error.diagnostic, wellFormed(error.resourceId), outputs);
    }
  }

  /** Returns what the state has of a resource, with the inputs of the program where an import has read it. */
  function stored({ urn, outputs, inputs }: Existing, news?: Properties) {
    const before = entering(urn, outputs);
    return withDeclared(kind, before, received(inputs), news);
  }

  return {
    check({ urn, session, olds, news }) {
      const given = entering(urn, news);
      const before = entering(urn, olds);
      // An import passes what it has read as the program's inputs.
      const isImported = given[IMPORTED_KEY] === true;
      // The engine keeps a resource whose import was rejected.
      if (received(news)[IMPORT_KEY] === true && before[IMPORTED_KEY] === true)
        session.claims.noteImporting(urn);
      const checked = check(kind, before, given, session.settings, session.names);
      for (const note of checked.notes) session.warnOnce(urn, `${describeResource(kind, urn)}: ${note}`);
      const inputs = isImported ? { ...checked.inputs, [IMPORTED_KEY]: true } : checked.inputs;
      const failures = isPresent(received(news)["customTimeouts"])
        ? [...checked.failures, notAnInput(kind.name)]
        : checked.failures;
      return { inputs: without(inputsLeaving(inputs, markedSecrets(news)), [REPLACE_KEY]), failures };
    },

    diff(request) {
      const { id, urn, session } = request;
      const operation = operationOf(request);
      const news = entering(urn, request.news);
      const { outputs, believed } = stored(request, news);
      const planned = planChange(operation, id, outputs, news);
      warnOfOtherKey(session, outputs);
      if (received(request.inputs)[IMPORTED_KEY] === true) {
        if (session.claims.isImported(kind.name, id) || session.claims.isImporting(urn))
          requireImportable(operation, id, planned.changed, outputs);
        warnOfBelieved(operation, id, believed);
      }
      return planned;
    },

    previewCreate: ({ urn, news }) =>
      outputsLeaving(outputsOfCreation(kind, entering(urn, news)), markedSecrets(news)),

    create: (request) =>
      operate(request, "create", request.timeout, (operation) =>
        keeping(request.news, async (marked) => {
          const { id, outputs } = await createResource(operation, entering(request.urn, request.news));
          return { id: wellFormed(id), outputs: outputsToKeep(request.news, outputs, marked) };
        }),
      ),

    previewUpdate(request) {
      const news = entering(request.urn, request.news);
      const { outputs } = stored(request, news);
      const { changed } = planChange(operationOf(request), request.id, outputs, news);
      const marked = [...markedSecrets(request.news), ...markedSecrets(request.outputs)];
      return outputsLeaving(outputsOfUpdate(kind, outputs, news, changed), marked);
    },

    update: (request) =>
      operate(request, "update", request.timeout, (operation) =>
        keeping(request.news, async (marked) => {
          const news = entering(request.urn, request.news);
          const { outputs } = stored(request, news);
          const updated = await updateResource(operation, request.id, outputs, news);
          return outputsToKeep(request.news, updated, marked);
        }),
      ),

    read: (request) =>
      operate(request, "read", 0, async (operation) => {
        const { id, session } = request;
        const marked = [...markedSecrets(request.inputs), ...markedSecrets(request.outputs)];
        const isImport =
          Object.keys(request.outputs).length === 0 || received(request.inputs)[IMPORTED_KEY] === true;
        const found = isImport
          ? await readWithoutState(operation, id)
          : await readResource(operation, id, stored(request).outputs);
        if (found === undefined) return undefined;
        if (isImport) session.claims.markImported(kind.name, id);
        return {
          id: found.id,
          outputs: outputsLeaving(found.outputs, marked),
          ...(found.inputs ? { inputs: inputsLeaving(found.inputs, marked) } : {}),
        };
      }),

    delete: (request) =>
      operate(request, "delete", request.timeout, (operation) =>
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
