import type { KindName } from "../evidence/kinds.js";
import type { Declared, DeclaredProgram } from "../evidence/stack.js";
import { referenceIn, registered, secretsOfKind, urnOf } from "../program.js";
import { changedKeys, plain, withSecrets } from "../properties.js";
import type { Properties } from "../provider-client.js";
import { Failed, Killed } from "../world.js";
import { Apply, type Registered } from "./apply.js";
import { type CheckpointFile, isSame, type StoredResource } from "./checkpoint.js";
import { deleteAll, deleteOne } from "./delete.js";
import { errorsIn, type Session, throwIfAny } from "./session.js";

/** How one `pulumi up` runs. */
export interface UpdateOptions {
  /** A preview: it plans, and changes nothing. */
  readonly dry: boolean;
  /** The targets of `--replace`. */
  readonly replaced: ReadonlySet<string>;
}

/** One run of a program against the state. */
export class Update {
  readonly #file: CheckpointFile;
  readonly #session: Session;
  readonly #program: DeclaredProgram;
  readonly #options: UpdateOptions;
  readonly #apply: Apply;
  readonly #counts: Record<string, number> = {};
  readonly #registrations = new Map<string, Promise<Registered>>();
  readonly #seen = new Set<string>();
  #failed = false;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(file: CheckpointFile, session: Session, program: DeclaredProgram, options: UpdateOptions) {
    this.#file = file;
    this.#session = session;
    this.#program = program;
    this.#options = options;
    this.#apply = new Apply(file, session, options.dry, (op) => this.#count(op));
  }

  /** Returns how many resources have each operation. */
  async run(): Promise<Readonly<Record<string, number>>> {
    const before = this.#file.state.resources;
    for (const declared of this.#program.resources) {
      const registration = this.#register(declared);
      registration.catch(() => undefined);
      this.#registrations.set(declared.name, registration);
    }
    throwIfAny(errorsIn(await Promise.allSettled(this.#registrations.values())), "update failed");
    const doomed = this.#file.state.resources.filter(
      (stored) =>
        stored.pendingDelete || (!this.#seen.has(stored.urn) && before.some((old) => isSame(old, stored))),
    );
    if (this.#options.dry) this.#count("delete", doomed.length);
    else await deleteAll(this.#file, this.#session, doomed);
    return this.#counts;
  }

  #count(op: string, by = 1): void {
    if (by > 0) this.#counts[op] = (this.#counts[op] ?? 0) + by;
  }

  /** Plans one resource at a time; the steps themselves run in parallel. */
  async #inTurn<T>(plan: () => Promise<T>): Promise<T> {
    const before = this.#turn;
    let done: () => void = () => undefined;
    this.#turn = new Promise<void>((resolve) => {
      done = resolve;
    });
    await before;
    try {
      if (this.#file.isDead) throw new Killed();
      // After an error the engine starts no new step.
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
      const registration = this.#registrations.get(reference.name);
      if (!target || !registration) throw new Error(`no resource ${reference.name} before it in the program`);
      const { id, outputs } = await registration;
      dependencies.push(target.urn);
      resolved[input] = reference.output === "id" ? id : plain(outputs)[reference.output];
    }
    return { inputs: resolved, dependencies };
  }

  /** Decides what to do with one resource, and returns the step that does it. */
  async #plan(
    declared: Declared,
    given: Properties,
    dependencies: string[],
  ): Promise<() => Promise<Registered>> {
    const { urn, kind } = declared;
    const file = this.#file;
    const news = registered(declared, given);
    const old = this.#old(declared);
    this.#seen.add(urn);
    if (old) this.#seen.add(old.urn);

    const inputs = await this.#check(urn, kind, old ? plain(old.inputs) : {}, news);
    const target = { declared, inputs, dependencies };
    if (!old) return () => this.#apply.create(target);

    const difference = await this.#session.client
      .diff(urn, old.id, plain(old.outputs), plain(inputs))
      .catch((error: unknown) => {
        throw file.failed(error, { op: "diff", urn, id: old.id, outcome: "failed" });
      });
    const keys = changedKeys(old.inputs, inputs);
    const hasChanges = difference.changes === "some" || (difference.changes === "unknown" && keys.length > 0);
    const mustReplace =
      (hasChanges && difference.replaces.length > 0) ||
      old.pendingReplacement ||
      this.#options.replaced.has(urn);

    if (mustReplace) {
      if (old.protect && declared.options.protect) {
        file.printError(urn, `unable to replace resource "${urn}"\nas it is currently marked for protection`);
        throw new Failed("protected");
      }
      const anew = await this.#check(urn, kind, {}, news);
      const deletesFirst = declared.options.deleteBeforeReplace ?? difference.deleteBeforeReplace;
      return async () => {
        if (deletesFirst) await this.#deleteFirst(old);
        const replaces = { old, createsFirst: !deletesFirst, keys: difference.replaces };
        return this.#apply.create({ ...target, inputs: anew }, replaces);
      };
    }
    if (hasChanges || old.initErrors.length > 0) return () => this.#apply.update(target, old, keys);
    return async () => this.#apply.same(target, old);
  }

  #old({ urn, kind, options }: Declared): StoredResource | undefined {
    const names = [urn, ...(options.aliases ?? []).map((name) => urnOf(kind, name))];
    return names
      .map((name) =>
        this.#file.state.resources.find((stored) => stored.urn === name && !stored.pendingDelete),
      )
      .find((stored) => stored !== undefined);
  }

  async #check(urn: string, kind: KindName, olds: Properties, news: Properties): Promise<Properties> {
    const { inputs, failures } = await this.#session.client.check(urn, olds, news).catch((error: unknown) => {
      throw this.#file.failed(error, { op: "check", urn, outcome: "failed" });
    });
    for (const { property, reason } of failures) {
      const value = inputs[property];
      const text =
        property === ""
          ? `${kind} resource has a problem: ${reason}`
          : `${kind} resource has a problem: ${reason}. Examine values at '${property}' (${JSON.stringify(value)}).`;
      this.#file.printError(urn, text);
    }
    if (failures.length > 0) throw new Failed("check failed");
    const secret = new Set([...secretsOfKind[kind]].filter((name) => name in news));
    return withSecrets(inputs, secret);
  }

  async #deleteFirst(old: StoredResource): Promise<void> {
    this.#count("delete-replaced");
    if (this.#options.dry || old.pendingReplacement) return;
    // Dependents, which are replaced too, are deleted first.
    const dependents = this.#file.state.resources.filter(({ dependencies }) =>
      dependencies.includes(old.urn),
    );
    for (const each of [...dependents.reverse(), old])
      await deleteOne(this.#file, this.#session, each, { ...each, pendingReplacement: true });
  }
}
