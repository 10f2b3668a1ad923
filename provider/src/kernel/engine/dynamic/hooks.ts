import type { Kind } from "../../definition/kind.js";
import { secretNames } from "../../definition/kind-values.js";
import { once } from "../../definition/once.js";
import { IMPORTED_KEY, type Properties } from "../../definition/properties.js";
import { type Diagnostic, render } from "../../diagnostics/diagnostic.js";
import { PartialFailure, textOf } from "../../diagnostics/errors.js";
import { createResource } from "../../lifecycle/create.js";
import { deleteResource } from "../../lifecycle/delete.js";
import { withDeclared } from "../../lifecycle/import.js";
import { planChange } from "../../lifecycle/plan-change.js";
import { readResource } from "../../lifecycle/read.js";
import { updateResource } from "../../lifecycle/update.js";
import type { Operation } from "../../stack/operation.js";
import { type Scope, scopesOf } from "../../stack/scope.js";
import { describeResource } from "../../state/describe.js";
import { withStateObject } from "../../state/state-text.js";
import { listIn, SECRETS_KEY, withoutClassInputs } from "../class-inputs.js";
import { ProviderProcess } from "../process.js";
import { representable, wellFormed } from "../representable.js";
import { received, withSecrets } from "../wire-values.js";
import { changesOf, checkWithClassInputs, operationOf, storedClassInputs, urnIn } from "./class-inputs.js";
import { Configuration } from "./configuration.js";
import { HookError, InitializationError } from "./hook-error.js";

/*
 * Translates between the engine's host of dynamic providers and the kernel. Other facts about the engine are in
 * wire-values.ts, log.ts, watch.ts, cancel.ts and handler-text.ts.
 */

/** The hooks that the host calls. */
export interface Handler {
  configure(request: { config: { get(key: string): string | undefined } }): Promise<void>;
  check(
    olds: Properties,
    news: Properties,
  ): Promise<{ inputs: Properties; failures: { property: string; reason: string }[] }>;
  diff(
    id: string,
    olds: Properties,
    news: Properties,
  ): Promise<{ changes?: boolean; replaces: string[]; deleteBeforeReplace: boolean }>;
  create(inputs: Properties): Promise<{ id: string; outs: Properties }>;
  read(id: string, props: Properties): Promise<{ id: string; props: Properties; inputs?: Properties }>;
  update(id: string, olds: Properties, news: Properties): Promise<{ outs: Properties }>;
  delete(id: string, props: Properties): Promise<void>;
}

const current = new ProviderProcess();
const configuration = new Configuration(current);

/** Returns the hooks of one kind, for the host of dynamic providers. */
export function handlerOf<I extends object, R extends object>(kind: Kind<I, R>): Handler {
  const secrets = secretNames(kind);
  const scopeOf = scopesOf(kind);

  /** Returns values in the kernel's form, as the class has passed them. */
  const passed = once(received);

  /** Returns values in the kernel's form, with what the class has added. */
  const complete = once((values: Properties): Properties => withStateObject(kind, passed(values)));

  /** Returns the properties that the kind or the program marks as secret. */
  const secretsOf = once(
    (values: Properties): ReadonlySet<string> =>
      new Set([...secrets, ...listIn(passed(values), SECRETS_KEY)]),
  );

  async function hook<T>(
    seen: readonly Properties[],
    work: (scope: Scope<I, R>) => T | Promise<T>,
  ): Promise<T> {
    for (const values of seen) current.addSecrets(passed(values), secretsOf(values));
    try {
      return await work(scopeOf(configuration.session()));
    } catch (error) {
      if (error instanceof PartialFailure) {
        const given = seen.at(-1) ?? {};
        const properties = storableOr(given, { ...error.outputs });
        throw new InitializationError(current.clean(error.message), wellFormed(error.resourceId), properties);
      }
      throw new HookError(current.clean(textOf(error)));
    } finally {
      await current.delivered();
    }
  }

  /** Runs an operation that may send requests, within its timeout. */
  const operate = <T>(
    name: "create" | "read" | "update" | "delete",
    seen: readonly Properties[],
    work: (operation: Operation<I, R>) => Promise<T>,
  ): Promise<T> =>
    hook(seen, (scope) => {
      const operation = operationOf(scope, complete(seen.at(-1) ?? {}));
      return operation.within(name, () => work(operation));
    });

  /** Returns values in the kernel's form. */
  const entering = (values: Properties): Properties => withoutClassInputs(complete(values));

  /** Returns the outputs of a resource, completed by the program's inputs where the native form has imported it. */
  const imported = (olds: Properties, news: Properties): Properties =>
    withDeclared(kind, entering(olds), { [IMPORTED_KEY]: true }, entering(news)).outputs;

  /** Returns the outputs to store for a resource with these inputs. */
  const storableOr = (given: Properties, outputs: Properties): Properties =>
    current.storableOr(
      given,
      { ...outputs, ...storedClassInputs(complete(given)) },
      { kind, secrets: secretsOf(given) },
    );

  return {
    async configure({ config }) {
      configuration.configure(config);
    },
    check: (olds, news) =>
      hook([olds, news], ({ session }) => {
        const urn = urnIn(kind.name, news) ?? "";
        const checked = checkWithClassInputs(
          kind,
          passed(olds),
          passed(news),
          session.settings,
          session.names,
        );
        for (const note of checked.notes) session.warnOnce(urn, `${describeResource(kind, urn)}: ${note}`);
        return { inputs: withSecrets(checked.inputs, secrets), failures: checked.failures.map(rejection) };
      }),
    diff: (id, olds, news) =>
      hook([news, olds], (scope) => {
        const operation = operationOf(scope, complete(news));
        const planned = planChange(operation, id, imported(olds, news), entering(news));
        const { replaces, deleteBeforeReplace } = planned;
        const changes = changesOf(planned, complete(olds), complete(news));
        return { ...(changes === undefined ? {} : { changes }), replaces, deleteBeforeReplace };
      }),
    create: (inputs) =>
      operate("create", [inputs], async (operation) => {
        const { id, outputs } = await createResource(operation, entering(inputs));
        return { id: wellFormed(id), outs: storableOr(inputs, outputs) };
      }),
    read: (id, props) =>
      operate("read", [props], async (operation) => {
        const kept = await readResource(operation, id, entering(props));
        if (kept === undefined) return { id: "", props: {} };
        const added = storedClassInputs(complete(props));
        const inputs = kept.inputs && withSecrets(representable({ ...kept.inputs, ...added }), secrets);
        return {
          id: kept.id,
          props: current.storable({ ...kept.outputs, ...added }, { kind, secrets: secretsOf(props) }),
          ...(inputs ? { inputs } : {}),
        };
      }),
    update: (id, olds, news) =>
      operate("update", [olds, news], async (operation) => {
        const outputs = await updateResource(operation, id, imported(olds, news), entering(news));
        return { outs: storableOr(news, outputs) };
      }),
    delete: (id, props) =>
      operate("delete", [props], (operation) => deleteResource(operation, id, entering(props))),
  };
}

/** Returns a failure without a property: the engine would print its value, even when it is secret. */
const rejection = (diagnostic: Diagnostic) => ({ property: "", reason: current.clean(render(diagnostic)) });
