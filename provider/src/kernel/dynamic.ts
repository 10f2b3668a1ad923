import { runtime } from "@pulumi/pulumi";
import { check } from "./check.js";
import { clientOf } from "./client.js";
import { Cancellation, withinLimit } from "./deadline.js";
import { diff } from "./diff.js";
import { timeLimit } from "./durations.js";
import { watchCancellation } from "./engine-cancel.js";
import { engineAddress, engineReporter } from "./engine-log.js";
import { watchEngine } from "./engine-watch.js";
import { ConfigurationError, messageOf, PartialFailure, ResourceError } from "./errors.js";
import type { Kind } from "./kind.js";
import * as lifecycle from "./lifecycle.js";
import { describe, entryOf, guard, managedTwice, recall, withCleanReason } from "./memory.js";
import { secretFields } from "./normalised.js";
import { notePredecessor } from "./predecessor.js";
import { read } from "./refresh.js";
import { remove } from "./remove.js";
import { representable, wellFormed } from "./representable.js";
import { Scope } from "./scope.js";
import { scrub, secretsIn } from "./scrub.js";
import { Session } from "./session.js";
import { readSettings } from "./settings.js";
import { isRecord, PROVIDER_KEY, STATE_KEY, stringOf, UNKNOWN, URN_KEY, type Values } from "./values.js";

/*
 * How the engine's host of dynamic providers calls the hooks: with what, how it writes unknown values and secrets, and
 * what it makes of an error. What else is known of the engine is in engine-log.ts, engine-watch.ts and handler-text.ts.
 */

/** The hooks as the host calls them. */
export interface Handler {
  configure(request: { config: { get(key: string): string | undefined } }): Promise<void>;
  check(
    olds: Values,
    news: Values,
  ): Promise<{ inputs: Values; failures: { property: string; reason: string }[] }>;
  diff(
    id: string,
    olds: Values,
    news: Values,
  ): Promise<{ changes?: boolean; replaces: string[]; deleteBeforeReplace: boolean }>;
  create(inputs: Values): Promise<{ id: string; outs: Values }>;
  read(id: string, props: Values): Promise<{ id: string; props: Values; inputs?: Values }>;
  update(id: string, olds: Values, news: Values): Promise<{ outs: Values }>;
  delete(id: string, props: Values): Promise<void>;
}

/** How the engine writes an input that is not known yet, by the type it will have. */
const SENTINELS: ReadonlySet<unknown> = new Set([
  "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

function mapDeep(value: unknown, change: (leaf: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => mapDeep(item, change));
  if (isRecord(value)) return mapValues(value, change);
  return change(value);
}

function mapValues(values: Values, change: (leaf: unknown) => unknown): Values {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, mapDeep(value, change)]));
}

const received = (values: Values): Values =>
  mapValues(runtime.unwrapRpcSecret(values) ?? {}, (leaf) => (SENTINELS.has(leaf) ? UNKNOWN : leaf));

const sent = (values: Values): Values =>
  mapValues(values, (leaf) => (leaf === UNKNOWN ? runtime.unknownValue : leaf));

/** Marks the secrets, so that the engine encrypts them even where the program did not say that they are. */
function withSecrets(values: Values, secrets: ReadonlySet<string>): Values {
  const marked = sent(values);
  for (const name of secrets) {
    const value = marked[name];
    if (value === undefined || value === runtime.unknownValue) continue;
    marked[name] = { [runtime.specialSigKey]: runtime.specialSecretSig, value };
  }
  return marked;
}

/**
 * An error as the host wants it: it prints the stack of what it is given, and takes everything with an `id` for a
 * resource that exists.
 */
class HookError {
  readonly stack: string;

  constructor(readonly message: string) {
    this.stack = message;
  }

  toString(): string {
    return "cloudservices";
  }
}

class InitializationError extends HookError {
  readonly reasons: string[];

  constructor(
    message: string,
    readonly id: string,
    readonly properties: Values,
  ) {
    super(message);
    this.reasons = [message];
  }
}

/** The session of this process. One process serves one run of one stack, so there is one configuration. */
class Process {
  #session: Session | undefined;
  #error: ConfigurationError | undefined;
  #told = false;
  #watching = false;
  readonly #cancellation = new Cancellation();
  /** Of all resources: the service may repeat one resource's secret in an answer about another. */
  readonly #secrets = new Set<string>();

  /** Notes secrets that no message may hold from now on. */
  meets(values: Values, names: ReadonlySet<string>): void {
    for (const secret of secretsIn(values, names)) this.#secrets.add(secret);
  }

  /** Outputs as the engine may keep them. */
  kept(outputs: Values, names: ReadonlySet<string>): Values {
    const kept = representable(outputs);
    this.meets(kept, names);
    const normalised = recall(kept)?.normalised ?? {};
    this.meets(normalised, names);
    // A secret that the service spells otherwise is in the memory as well.
    const isSecret = Object.keys(normalised).some((field) => names.has(field));
    return withSecrets(
      withCleanReason(kept, (text) => this.clean(text)),
      isSecret ? new Set([...names, STATE_KEY]) : names,
    );
  }

  /** Never throws: the error that a message belongs to may carry the id of a resource. */
  clean(text: string): string {
    try {
      return scrub(wellFormed(text), [this.#session?.settings.apiKey ?? "", ...this.#secrets]);
    } catch (error) {
      return `The message cannot be shown (${error instanceof Error ? error.name : "unknown error"}).`;
    }
  }

  /** Synchronous, because the host may call other hooks before it has awaited this one. */
  configure(config: { get(key: string): string | undefined }): void {
    try {
      const settings = readSettings((key) => config.get(key), process.env);
      if (this.#session && JSON.stringify(this.#session.settings) === JSON.stringify(settings)) return;
      const engine = engineAddress(process.argv.at(-1));
      if (engine !== undefined && !this.#watching) {
        watchEngine(engine, () => process.exit(1));
        watchCancellation(() => this.#cancellation.cancel());
      }
      this.#watching = true;
      const { status, warn } = engineReporter(engine);
      const reporter = {
        status,
        warn: (urn: string | undefined, text: string) => warn(urn, this.clean(text)),
      };
      const { bounds, signal } = this.#cancellation;
      const sleep = (time: number) => this.#cancellation.sleep(time);
      const clock = { now: Date.now, sleep };
      this.#session = new Session(settings, clientOf(settings, bounds), reporter, clock, signal);
      this.#error = undefined;
    } catch (error) {
      this.#session = undefined;
      this.#error = error instanceof ConfigurationError ? error : new ConfigurationError(messageOf(error));
    }
  }

  session(): Session {
    if (this.#session) return this.#session;
    if (this.#told) throw new ConfigurationError("Not tried: the configuration is wrong, as said above.");
    this.#told = true;
    throw this.#error ?? new ConfigurationError("The provider was called before it was configured.");
  }
}

const current = new Process();

/** The hooks of one kind, for the host of dynamic providers. */
export function handlerOf<I extends object, R extends object>(kind: Kind<I, R>): Handler {
  const secrets = secretNames(kind);
  let scope: Scope<I, R> | undefined;

  function scopeOf(session: Session): Scope<I, R> {
    if (scope?.session !== session) scope = new Scope(kind, session);
    return scope;
  }

  async function hook<T>(seen: readonly Values[], work: (scope: Scope<I, R>) => T | Promise<T>): Promise<T> {
    for (const values of seen) current.meets(received(values), secretsOf(values));
    try {
      return await work(scopeOf(current.session()));
    } catch (error) {
      if (error instanceof PartialFailure) {
        const given = seen.at(-1) ?? {};
        const properties = keptOr(given, { ...error.outputs });
        if (given[PROVIDER_KEY] !== undefined) properties[PROVIDER_KEY] = given[PROVIDER_KEY];
        throw new InitializationError(current.clean(error.message), wellFormed(error.resourceId), properties);
      }
      throw new HookError(current.clean(messageOf(error)));
    }
  }

  /** One of the operations that may ask the service, within its time limit. */
  const operate = <T>(
    operation: "create" | "read" | "update" | "delete",
    seen: readonly Values[],
    work: (scope: Scope<I, R>) => Promise<T>,
  ): Promise<T> =>
    hook(seen, (scope) => {
      const limit = timeLimit(received(seen.at(-1) ?? {}), operation, kind.limits);
      // Reading does nothing that would have to be found out about.
      const options = operation === "read" ? { grace: 0 } : {};
      return withinLimit(limit, scope.session.clock, options, () => work(scope));
    });

  /** Those of the kind, and those that the program has made secret. */
  function secretsOf(values: Values): ReadonlySet<string> {
    return new Set([...secrets, ...secretFields(kind, received(values))]);
  }

  /** What exists stays in the state, even where its outputs cannot be handed over: then with its inputs alone. */
  function keptOr(given: Values, outputs: Values): Values {
    try {
      return current.kept(outputs, secretsOf(outputs));
    } catch {
      return { ...given, [STATE_KEY]: representable({ state: outputs[STATE_KEY] })["state"] ?? {} };
    }
  }

  return {
    async configure({ config }) {
      current.configure(config);
    },
    check: (olds, news) =>
      hook([olds, news], ({ session }) => {
        const checked = check(kind, received(olds), received(news), session.settings, session.names);
        for (const note of checked.notes)
          session.warnOnce(stringOf(news, URN_KEY), `${describe(kind, news)}: ${note}`);
        return { inputs: withSecrets(checked.inputs, secrets), failures: [...checked.failures] };
      }),
    diff: (id, olds, news) =>
      hook([news, olds], (scope) => {
        const { session } = scope;
        scope.remembered(received(olds));
        if (session.isAdopted(kind.name, id)) {
          throw new ResourceError(
            `${describe(kind, news, id)} is managed by this stack, and another resource of this run has adopted it. Nothing was ` +
              "done to it. Take `adopt` (or cloudservices:adoptInterrupted) out again, and the adopting resource out of the state " +
              "with `pulumi state delete`.",
          );
        }
        const resource = describe(kind, news, id);
        guard(session.settings, resource, received(olds));
        const twin = session.holds(kind.name, id, entryOf(received(olds)), resource);
        if (twin !== undefined && !kind.occurrence) throw managedTwice(resource, twin);
        const asked = session.names.adoptionAsked(stringOf(news, URN_KEY) ?? "");
        if (asked !== undefined && asked !== id) {
          throw new ResourceError(
            `${describe(kind, news, id)} exists, so it cannot adopt ${asked}: adopting is a matter of creation. Remove \`adopt\`, or ` +
              "declare the other resource under a name of its own.",
          );
        }
        const difference = diff(
          kind,
          received(olds),
          received(news),
          session.settings,
          session.names,
          session.clock.now(),
        );
        const { changes, replaces, deleteBeforeReplace } = difference;
        const predecessor = { id, outputs: received(olds) };
        session.names.known(stringOf(news, URN_KEY) ?? "", id);
        notePredecessor(scope, stringOf(news, URN_KEY) ?? "", predecessor, replaces.length > 0);
        return { ...(changes === undefined ? {} : { changes }), replaces, deleteBeforeReplace };
      }),
    create: (inputs) =>
      operate("create", [inputs], async (scope) => {
        const { id, outputs } = await lifecycle.create(scope, received(inputs));
        return { id: wellFormed(id), outs: keptOr(inputs, outputs) };
      }),
    read: (id, props) =>
      operate("read", [props], async (scope) => {
        const kept = await read(scope, id, received(props));
        if (kept === undefined) return { id: "", props: {} };
        const inputs = kept.inputs && withSecrets(representable(kept.inputs), secrets);
        return {
          id: kept.id,
          props: current.kept(kept.outputs, secretsOf(kept.outputs)),
          ...(inputs ? { inputs } : {}),
        };
      }),
    update: (id, olds, news) =>
      operate("update", [olds, news], async (scope) => {
        const outputs = await lifecycle.update(scope, id, received(olds), received(news));
        return { outs: keptOr(news, outputs) };
      }),
    delete: (id, props) => operate("delete", [props], (scope) => remove(scope, id, received(props))),
  };
}

/** The properties of a kind that are never shown: inputs and outputs. */
export function secretNames<I extends object, R extends object>(kind: Kind<I, R>): ReadonlySet<string> {
  const marked = [...Object.entries<{ secret?: true }>(kind.inputs), ...Object.entries(kind.outputs)];
  return new Set(marked.filter(([, property]) => property.secret).map(([name]) => name));
}
