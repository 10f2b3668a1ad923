import type { Declared, DeclaredProgram, KindName, Printed, State, Step } from "./evidence.js";
import type { Generation } from "./host.js";
import { referenceIn, registered, secretsOfKind, urnOf } from "./program.js";
import { changedKeys, exported, hasUnknown, plain, secretsOf, UNKNOWN, withSecrets } from "./properties.js";
import { HookFailure, type Properties, type ProviderClient } from "./wire.js";
import { Failed, Killed, type StackEngine } from "./world.js";

/*
 * The engine in small: what Pulumi 3.220 does with a program and a state, for resources of a dynamic provider. Read
 * from its source: deploy/step_generator.go, deploy/step.go and deploy/deployment_executor.go. A checkpoint is written
 * after every step, so that a run can be killed between a step and its checkpoint.
 */

export interface Kept {
  readonly urn: string;
  readonly kind: KindName;
  readonly id: string;
  readonly inputs: Properties;
  readonly outputs: Properties;
  readonly initErrors: readonly string[];
  readonly dependencies: readonly string[];
  /** Tells the entries of one run apart. */
  readonly serial: number;
  readonly pendingDelete: boolean;
  /** It was deleted before its successor is there. */
  readonly pendingReplacement: boolean;
  readonly retainOnDelete: boolean;
  readonly protect: boolean;
}

/** What is written to the disk after every step. */
export interface Checkpoint {
  readonly resources: readonly Kept[];
  readonly pending: readonly { readonly op: string; readonly urn: string }[];
  /** The configuration that the last program gave the provider; refresh and destroy use it. */
  readonly config: Readonly<Record<string, string>> | undefined;
}

const nothing: Checkpoint = { resources: [], pending: [], config: undefined };

export interface Session {
  readonly client: ProviderClient;
  readonly process: Generation;
}

export interface EngineOptions {
  /** Starts a provider's process, configured. */
  readonly start: (config: Readonly<Record<string, string>>) => Promise<Session>;
  readonly print: (printed: Printed) => void;
  readonly step: (step: Step) => void;
  /** Called when a step has been carried out: `false` drops its result, as if the engine died before writing it. */
  readonly checkpoint: (step: Step) => boolean;
}

interface Registered {
  readonly outputs: Properties;
  readonly id: string;
}

export class Engine implements StackEngine {
  state: Checkpoint = nothing;
  /** Set from outside when the engine is killed: nothing more is written or done. */
  isDead = false;
  /** The targets of `--replace` in the next `pulumi up`. */
  readonly replaced = new Set<string>();
  readonly #options: EngineOptions;
  #serial = 0;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  /** `pulumi up --yes --skip-preview`; with `dry`, `pulumi preview`. */
  async up(
    program: DeclaredProgram,
    config: Readonly<Record<string, string>>,
    dry = false,
  ): Promise<Readonly<Record<string, number>>> {
    const session = await this.#options.start(config);
    try {
      if (!dry) this.#write({ ...this.state, config });
      return await new Update(this, this.#options, session, program, dry).run();
    } finally {
      if (!dry) this.replaced.clear();
      end(session);
    }
  }

  async refresh(config: Readonly<Record<string, string>> | undefined): Promise<void> {
    const session = await this.#options.start(config ?? this.state.config ?? {});
    try {
      const errors: Error[] = [];
      // Operations that were interrupted are forgotten: `--clear-pending-creates`.
      this.#write({ ...this.state, pending: [] });
      const refreshed = this.state.resources
        .filter(({ pendingReplacement }) => !pendingReplacement)
        .map((kept) => this.#refreshOne(session, kept));
      for (const result of await Promise.allSettled(refreshed)) {
        if (result.status === "rejected") errors.push(result.reason);
      }
      const killed = errors.find((error) => error instanceof Killed);
      if (killed) throw killed;
      if (errors.length > 0) throw new Failed("refresh failed");
    } finally {
      end(session);
    }
  }

  async #refreshOne({ client }: Session, kept: Kept): Promise<void> {
    const { urn, id } = kept;
    const step = { op: "refresh" as const, urn, id };
    try {
      const read = await client.read(urn, id, plain(kept.outputs), plain(kept.inputs));
      if (read.id === "") {
        this.replace(kept, undefined, { ...step, outcome: "ok" });
        return;
      }
      const secrets = new Set([...secretsOf(kept.outputs), ...secretsOfKind[kept.kind]]);
      const inputs = read.inputs ? withSecrets(read.inputs, secretsOf(kept.inputs)) : kept.inputs;
      const next: Kept = {
        ...kept,
        id: read.id,
        outputs: withSecrets(read.outputs, secrets),
        inputs,
        initErrors: [],
      };
      // The engine asks for the difference, to show it.
      await client.diff(urn, next.id, plain(next.outputs), plain(kept.inputs));
      this.replace(kept, next, { ...step, outcome: "ok" });
    } catch (error) {
      throw this.failed(error, { ...step, outcome: "failed" });
    }
  }

  /** `pulumi destroy --yes`. */
  async destroy(config: Readonly<Record<string, string>> | undefined): Promise<void> {
    const session = await this.#options.start(config ?? this.state.config ?? {});
    try {
      await this.deleteAll(session, this.state.resources);
    } finally {
      end(session);
    }
  }

  /** Deletes in the reverse order of dependency; what a resource that could not be deleted stands on stays. */
  async deleteAll(session: Session, doomed: readonly Kept[]): Promise<void> {
    const blocked = new Set<string>();
    const errors: unknown[] = [];
    let left = [...doomed];
    while (left.length > 0) {
      const needed = new Set(left.flatMap(({ dependencies }) => dependencies));
      const free = left.filter(({ urn }) => !needed.has(urn));
      left = left.filter(({ urn }) => needed.has(urn));
      const results = await Promise.allSettled(
        free.map(async (kept) => {
          if (blocked.has(kept.urn)) throw new Failed("what depends on it was not deleted");
          await this.deleteOne(session, kept);
        }),
      );
      for (const [index, result] of results.entries()) {
        if (result.status === "fulfilled") continue;
        errors.push(result.reason);
        for (const urn of free[index]?.dependencies ?? []) blocked.add(urn);
      }
      if (free.length === 0) throw new Error("resources depend on each other in a circle");
    }
    const killed = errors.find((error) => error instanceof Killed);
    if (killed) throw killed;
    if (errors.length > 0) throw new Failed("destroy failed");
  }

  async deleteOne({ client }: Session, kept: Kept, becomes?: Kept): Promise<void> {
    const { urn, id } = kept;
    const op = kept.pendingDelete || becomes ? ("delete-replaced" as const) : ("delete" as const);
    const step = { op, urn, id };
    if (kept.protect && !becomes) {
      this.print({
        kind: "diagnostic",
        urn,
        text: `unable to delete resource "${urn}"\nas it is currently marked for protection`,
      });
      throw new Failed("protected");
    }
    if (kept.retainOnDelete || kept.pendingReplacement) {
      this.replace(kept, becomes, { ...step, outcome: "ok" });
      return;
    }
    this.pending("deleting", urn);
    try {
      await client.delete(urn, id, plain(kept.outputs));
    } catch (error) {
      throw this.failed(error, { ...step, outcome: "failed" });
    }
    this.replace(kept, becomes, { ...step, outcome: "ok" });
  }

  get hasRun(): boolean {
    return this.state.config !== undefined;
  }

  /** `pulumi state delete`. */
  forget(urn: string, withDependents: boolean): void {
    const isKept = (kept: Kept) => kept.urn !== urn && !(withDependents && kept.dependencies.includes(urn));
    this.#write({ ...this.state, resources: this.state.resources.filter(isKept) });
  }

  /** `pulumi cancel`: gives back the lock; there is none here. */
  cancel(): void {
    this.isDead = false;
  }

  nextSerial(): number {
    this.#serial += 1;
    return this.#serial;
  }

  pending(op: string, urn: string): void {
    this.#write({ ...this.state, pending: [...this.state.pending, { op, urn }] });
  }

  /** Writes what a step has made of a resource, unless the engine dies before that. */
  replace(before: Kept | undefined, after: Kept | undefined, step: Step, others: readonly Kept[] = []): void {
    if (this.isDead) throw new Killed();
    if (!this.#options.checkpoint(step)) {
      this.#options.step({ ...step, outcome: "dropped" });
      this.isDead = true;
      throw new Killed();
    }
    this.#options.step(step);
    const pending = this.state.pending.filter(({ urn }) => urn !== step.urn);
    const at = before ? this.state.resources.findIndex((kept) => isSame(kept, before)) : -1;
    const resources = [...this.state.resources];
    if (at >= 0) resources.splice(at, 1, ...(after ? [after] : []));
    else if (after) resources.push(after);
    for (const other of others) {
      const place = resources.findIndex((kept) => isSame(kept, other));
      if (place >= 0) resources.splice(place, 1, other);
    }
    this.#write({ ...this.state, resources, pending });
  }

  /** Notes how a step failed, and says it as the engine does. */
  failed(error: unknown, step: Step): Error {
    if (this.isDead) return new Killed();
    if (error instanceof Killed || error instanceof Failed) return error;
    if (error instanceof HookFailure) {
      if (error.isGone) {
        // For the engine, a provider that has gone is one more error.
        this.#options.step({ ...step, outcome: "killed" });
        this.#write({ ...this.state, pending: this.state.pending.filter(({ urn }) => urn !== step.urn) });
        this.print({ kind: "diagnostic", urn: step.urn, text: `the provider has gone: ${error.message}` });
        return new Failed("the provider has gone");
      }
      this.print({ kind: "diagnostic", urn: step.urn, text: error.message });
      // A step that failed with an answer is over.
      this.#write({ ...this.state, pending: this.state.pending.filter(({ urn }) => urn !== step.urn) });
    } else this.print({ kind: "diagnostic", urn: step.urn, text: String(error) });
    this.#options.step(step);
    return new Failed(String(error));
  }

  print(printed: Printed): void {
    this.#options.print(printed);
  }

  #write(state: Checkpoint): void {
    if (!this.isDead) this.state = state;
  }

  export(): State {
    const resources = this.state.resources.map((kept) => ({
      urn: kept.urn,
      kind: kept.kind,
      id: kept.id,
      inputs: exported(kept.inputs, true),
      outputs: exported(kept.outputs, true),
      initErrors: kept.initErrors,
      dependencies: kept.dependencies,
      ...(kept.pendingDelete && { pendingDelete: true as const }),
    }));
    const text = JSON.stringify(
      this.state.resources.map((kept) => ({
        ...kept,
        inputs: exported(kept.inputs, false),
        outputs: exported(kept.outputs, false),
      })),
    );
    return { resources, pending: this.state.pending, text };
  }
}

/** Two entries may have one URN and one id: what is done to a server has the id of the server. */
const isSame = (a: Kept, b: Kept): boolean => a.serial === b.serial;

function end({ client, process }: Session): void {
  client.close();
  process.kill();
}

/** One run of a program against the state. */
class Update {
  readonly #engine: Engine;
  readonly #options: EngineOptions;
  readonly #session: Session;
  readonly #program: DeclaredProgram;
  readonly #dry: boolean;
  readonly #counts: Record<string, number> = {};
  readonly #done = new Map<string, Promise<Registered>>();
  readonly #seen = new Set<string>();
  #failed = false;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(
    engine: Engine,
    options: EngineOptions,
    session: Session,
    program: DeclaredProgram,
    dry: boolean,
  ) {
    this.#engine = engine;
    this.#options = options;
    this.#session = session;
    this.#program = program;
    this.#dry = dry;
  }

  async run(): Promise<Readonly<Record<string, number>>> {
    const before = this.#engine.state.resources;
    for (const declared of this.#program.resources) {
      const done = this.#register(declared);
      done.catch(() => undefined);
      this.#done.set(declared.name, done);
    }
    const results = await Promise.allSettled(this.#done.values());
    const errors = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    const killed = errors.find((error) => error instanceof Killed);
    if (killed) throw killed;
    if (errors.length > 0) throw new Failed("update failed");
    const doomed = this.#engine.state.resources.filter(
      (kept) => kept.pendingDelete || (!this.#seen.has(kept.urn) && before.some((old) => isSame(old, kept))),
    );
    if (this.#dry) this.#count("delete", doomed.length);
    else await this.#engine.deleteAll(this.#session, doomed);
    return this.#counts;
  }

  #count(op: string, by = 1): void {
    if (by > 0) this.#counts[op] = (this.#counts[op] ?? 0) + by;
  }

  /** Planning is one at a time; carrying out is not. */
  async #inTurn<T>(plan: () => Promise<T>): Promise<T> {
    const before = this.#turn;
    let done: () => void = () => undefined;
    this.#turn = new Promise<void>((resolve) => {
      done = resolve;
    });
    await before;
    try {
      if (this.#engine.isDead) throw new Killed();
      // After one error, the engine begins nothing new.
      if (this.#failed) throw new Failed("not begun");
      return await plan();
    } finally {
      done();
    }
  }

  async #register(declared: Declared): Promise<Registered> {
    try {
      const { inputs, dependencies } = await this.#resolved(declared);
      const carryOut = await this.#inTurn(() => this.#plan(declared, inputs, dependencies));
      return await carryOut();
    } catch (error) {
      this.#failed = true;
      throw error;
    }
  }

  async #resolved({ inputs }: Declared): Promise<{ inputs: Properties; dependencies: string[] }> {
    const dependencies: string[] = [];
    const resolved: Record<string, unknown> = {};
    for (const [input, value] of Object.entries(inputs)) {
      const reference = referenceIn(value);
      if (!reference) {
        resolved[input] = value;
        continue;
      }
      const target = this.#program.resources.find(({ name }) => name === reference.name);
      const registration = this.#done.get(reference.name);
      if (!target || !registration) throw new Error(`no resource ${reference.name} before it in the program`);
      const { id, outputs } = await registration;
      dependencies.push(target.urn);
      resolved[input] = reference.output === "id" ? id : plain(outputs)[reference.output];
    }
    return { inputs: resolved, dependencies };
  }

  async #plan(
    declared: Declared,
    given: Properties,
    dependencies: string[],
  ): Promise<() => Promise<Registered>> {
    const { urn, kind } = declared;
    const { client } = this.#session;
    const engine = this.#engine;
    const news = registered(declared, given);
    const old = this.#old(declared);
    this.#seen.add(urn);
    if (old) this.#seen.add(old.urn);

    const checked = await this.#check(urn, kind, old ? plain(old.inputs) : {}, news);
    if (!old) return () => this.#create(declared, checked, dependencies, undefined, false);

    const difference = await client
      .diff(urn, old.id, plain(old.outputs), plain(checked))
      .catch((error: unknown) => {
        throw engine.failed(error, { op: "diff", urn, id: old.id, outcome: "failed" });
      });
    const keys = changedKeys(old.inputs, checked);
    const hasChanges = difference.changes === "some" || (difference.changes === "unknown" && keys.length > 0);
    const mustReplace =
      (hasChanges && difference.replaces.length > 0) || old.pendingReplacement || engine.replaced.has(urn);

    if (mustReplace) {
      if (old.protect && declared.options.protect) {
        engine.print({
          kind: "diagnostic",
          urn,
          text: `unable to replace resource "${urn}"\nas it is currently marked for protection`,
        });
        throw new Failed("protected");
      }
      const anew = await this.#check(urn, kind, {}, news);
      const first = declared.options.deleteBeforeReplace ?? difference.deleteBeforeReplace;
      return async () => {
        if (first) await this.#deleteFirst(old);
        return this.#create(declared, anew, dependencies, old, !first, difference.replaces);
      };
    }
    if (hasChanges || old.initErrors.length > 0)
      return () => this.#update(declared, old, checked, dependencies, keys);
    return async () => {
      this.#count("same");
      const options = optionsOf(declared);
      const outputs = old.outputs;
      const next: Kept = { ...old, urn, inputs: checked, dependencies, ...options };
      if (this.#dry) this.#options.step({ op: "same", urn, id: old.id, outcome: "planned" });
      else engine.replace(old, next, { op: "same", urn, id: old.id, outcome: "ok" });
      return { id: old.id, outputs };
    };
  }

  #old({ urn, kind, options }: Declared): Kept | undefined {
    const names = [urn, ...(options.aliases ?? []).map((name) => urnOf(kind, name))];
    return names
      .map((name) => this.#engine.state.resources.find((kept) => kept.urn === name && !kept.pendingDelete))
      .find((kept) => kept !== undefined);
  }

  async #check(urn: string, kind: KindName, olds: Properties, news: Properties): Promise<Properties> {
    const engine = this.#engine;
    const { inputs, failures } = await this.#session.client.check(urn, olds, news).catch((error: unknown) => {
      throw engine.failed(error, { op: "check", urn, outcome: "failed" });
    });
    for (const { property, reason } of failures) {
      const value = inputs[property];
      const text =
        property === ""
          ? `${kind} resource has a problem: ${reason}`
          : `${kind} resource has a problem: ${reason}. Examine values at '${property}' (${JSON.stringify(value)}).`;
      engine.print({ kind: "diagnostic", urn, text });
    }
    if (failures.length > 0) throw new Failed("check failed");
    const secret = new Set([...secretsOfKind[kind]].filter((name) => name in news));
    return withSecrets(inputs, secret);
  }

  async #deleteFirst(old: Kept): Promise<void> {
    this.#count("delete-replaced");
    if (this.#dry || old.pendingReplacement) return;
    // What depends on it and would be replaced for that is deleted before it.
    const dependents = this.#engine.state.resources.filter(({ dependencies }) =>
      dependencies.includes(old.urn),
    );
    for (const dependent of [...dependents].reverse()) {
      await this.#engine.deleteOne(this.#session, dependent, { ...dependent, pendingReplacement: true });
    }
    await this.#engine.deleteOne(this.#session, old, { ...old, pendingReplacement: true });
  }

  async #create(
    declared: Declared,
    inputs: Properties,
    dependencies: string[],
    old: Kept | undefined,
    createsFirst: boolean,
    keys: readonly string[] = [],
  ): Promise<Registered> {
    const { urn, kind } = declared;
    const op = old ? ("create-replacement" as const) : ("create" as const);
    this.#count(old ? "replace" : "create");
    if (this.#dry) {
      this.#options.step({ op, urn, outcome: "planned", keys });
      return {
        id: UNKNOWN,
        outputs: new Proxy(plain(inputs), { get: (known, name) => Reflect.get(known, name) ?? UNKNOWN }),
      };
    }
    if (hasUnknown(inputs)) throw new Error(`unknown inputs outside of a preview: ${JSON.stringify(inputs)}`);
    const engine = this.#engine;
    const secrets = new Set([...secretsOf(inputs), ...secretsOfKind[kind]]);
    const keep = (id: string, outputs: Properties, initErrors: readonly string[]): Kept => ({
      urn,
      kind,
      id,
      inputs,
      outputs: withSecrets(outputs, secrets),
      initErrors,
      dependencies,
      serial: engine.nextSerial(),
      pendingDelete: false,
      pendingReplacement: false,
      ...optionsOf(declared),
    });
    const write = (made: Kept, step: Step) => {
      if (old?.pendingReplacement || (old && !createsFirst)) {
        const current = engine.state.resources.find((kept) => isSame(kept, old));
        return engine.replace(current, made, step);
      }
      return engine.replace(undefined, made, step, old ? [{ ...old, pendingDelete: true }] : []);
    };
    engine.pending("creating", urn);
    try {
      const { id, outputs } = await this.#session.client.create(urn, plain(inputs));
      if (id === "") throw new Error("provider did not return an ID from Create");
      const made = keep(id, outputs, []);
      write(made, { op, urn, id, outcome: "ok", keys });
      return { id, outputs: made.outputs };
    } catch (error) {
      const kept = error instanceof HookFailure ? error.kept : undefined;
      if (kept)
        write(keep(kept.id, kept.properties, kept.reasons), {
          op,
          urn,
          id: kept.id,
          outcome: "partial",
          keys,
        });
      throw engine.failed(error, { op, urn, ...(kept && { id: kept.id }), outcome: "failed" });
    }
  }

  async #update(
    declared: Declared,
    old: Kept,
    inputs: Properties,
    dependencies: string[],
    keys: readonly string[],
  ): Promise<Registered> {
    const { urn, kind } = declared;
    const { id } = old;
    const engine = this.#engine;
    this.#count("update");
    if (this.#dry) {
      this.#options.step({ op: "update", urn, id, outcome: "planned", keys });
      return { id, outputs: { ...old.outputs, ...inputs } };
    }
    const secrets = new Set([...secretsOf(inputs), ...secretsOfKind[kind]]);
    const keep = (outputs: Properties, initErrors: readonly string[]): Kept => ({
      ...old,
      urn,
      inputs,
      outputs: withSecrets(outputs, secrets),
      initErrors,
      dependencies,
      ...optionsOf(declared),
    });
    engine.pending("updating", urn);
    try {
      const made = keep(await this.#session.client.update(urn, id, plain(old.outputs), plain(inputs)), []);
      engine.replace(old, made, { op: "update", urn, id, outcome: "ok", keys });
      return { id, outputs: made.outputs };
    } catch (error) {
      const kept = error instanceof HookFailure ? error.kept : undefined;
      if (kept)
        engine.replace(old, keep(kept.properties, kept.reasons), {
          op: "update",
          urn,
          id,
          outcome: "partial",
          keys,
        });
      throw engine.failed(error, { op: "update", urn, id, outcome: "failed" });
    }
  }
}

const optionsOf = ({ options }: Declared): Pick<Kept, "retainOnDelete" | "protect"> => ({
  retainOnDelete: options.retainOnDelete ?? false,
  protect: options.protect ?? false,
});
