import type { Declared, Step } from "../evidence/stack.js";
import { secretsOfKind } from "../program.js";
import { hasUnknown, plain, secretsOf, UNKNOWN, withSecrets } from "../properties.js";
import { HookFailure, type Properties } from "../provider-client.js";
import { type CheckpointFile, isSame, optionsOf, type StoredResource } from "./checkpoint.js";
import type { Session } from "./session.js";

/** What a program gets for a resource. */
export interface Registered {
  readonly outputs: Properties;
  readonly id: string;
}

/** A resource of the program, checked. */
interface Target {
  readonly declared: Declared;
  readonly inputs: Properties;
  readonly dependencies: readonly string[];
}

interface Replacement {
  readonly old: StoredResource;
  readonly createsFirst: boolean;
  readonly keys: readonly string[];
}

/** The steps of an update. In a preview they only report what they would do. */
export class Apply {
  readonly #file: CheckpointFile;
  readonly #session: Session;
  readonly #dry: boolean;
  readonly #count: (op: string) => void;

  constructor(file: CheckpointFile, session: Session, dry: boolean, count: (op: string) => void) {
    this.#file = file;
    this.#session = session;
    this.#dry = dry;
    this.#count = count;
  }

  same({ declared, inputs, dependencies }: Target, old: StoredResource): Registered {
    const { urn } = declared;
    const { id, outputs } = old;
    this.#count("same");
    const next: StoredResource = { ...old, urn, inputs, dependencies, ...optionsOf(declared) };
    if (this.#dry) this.#file.plan({ op: "same", urn, id, outcome: "planned" });
    else this.#file.replace(old, next, { op: "same", urn, id, outcome: "ok" });
    return { id, outputs };
  }

  async create(target: Target, replacement?: Replacement): Promise<Registered> {
    const { declared, inputs } = target;
    const { urn } = declared;
    const op = replacement ? ("create-replacement" as const) : ("create" as const);
    const keys = replacement?.keys ?? [];
    this.#count(replacement ? "replace" : "create");
    if (this.#dry) {
      this.#file.plan({ op, urn, outcome: "planned", keys });
      return {
        id: UNKNOWN,
        outputs: new Proxy(plain(inputs), { get: (known, name) => Reflect.get(known, name) ?? UNKNOWN }),
      };
    }
    if (hasUnknown(inputs)) throw new Error(`unknown inputs outside of a preview: ${JSON.stringify(inputs)}`);
    this.#file.begin("creating", urn);
    try {
      const { id, outputs } = await this.#session.client.create(urn, plain(inputs));
      if (id === "") throw new Error("provider did not return an ID from Create");
      const created = this.#created(target, id, outputs, []);
      this.#write(created, { op, urn, id, outcome: "ok", keys }, replacement);
      return { id, outputs: created.outputs };
    } catch (error) {
      const partial = error instanceof HookFailure ? error.partial : undefined;
      if (partial) {
        const created = this.#created(target, partial.id, partial.properties, partial.reasons);
        this.#write(created, { op, urn, id: partial.id, outcome: "partial", keys }, replacement);
      }
      throw this.#file.failed(error, {
        op,
        urn,
        ...(partial && { id: partial.id }),
        outcome: "failed",
      });
    }
  }

  async update(target: Target, old: StoredResource, keys: readonly string[]): Promise<Registered> {
    const { declared, inputs, dependencies } = target;
    const { urn } = declared;
    const { id } = old;
    this.#count("update");
    if (this.#dry) {
      this.#file.plan({ op: "update", urn, id, outcome: "planned", keys });
      return { id, outputs: { ...old.outputs, ...inputs } };
    }
    const updated = (outputs: Properties, initErrors: readonly string[]): StoredResource => ({
      ...old,
      urn,
      inputs,
      outputs: withSecrets(outputs, secretsIn(target)),
      initErrors,
      dependencies,
      ...optionsOf(declared),
    });
    this.#file.begin("updating", urn);
    try {
      const outputs = await this.#session.client.update(urn, id, plain(old.outputs), plain(inputs));
      const next = updated(outputs, []);
      this.#file.replace(old, next, { op: "update", urn, id, outcome: "ok", keys });
      return { id, outputs: next.outputs };
    } catch (error) {
      const partial = error instanceof HookFailure ? error.partial : undefined;
      if (partial) {
        const next = updated(partial.properties, partial.reasons);
        this.#file.replace(old, next, { op: "update", urn, id, outcome: "partial", keys });
      }
      throw this.#file.failed(error, { op: "update", urn, id, outcome: "failed" });
    }
  }

  #created(target: Target, id: string, outputs: Properties, initErrors: readonly string[]): StoredResource {
    const { declared, inputs, dependencies } = target;
    return {
      urn: declared.urn,
      kind: declared.kind,
      id,
      inputs,
      outputs: withSecrets(outputs, secretsIn(target)),
      initErrors,
      dependencies,
      serial: this.#file.nextSerial(),
      pendingDelete: false,
      pendingReplacement: false,
      ...optionsOf(declared),
    };
  }

  #write(created: StoredResource, step: Step, replacement: Replacement | undefined): void {
    if (!replacement) {
      this.#file.replace(undefined, created, step);
      return;
    }
    const { old, createsFirst } = replacement;
    if (old.pendingReplacement || !createsFirst) {
      const current = this.#file.state.resources.find((stored) => isSame(stored, old));
      this.#file.replace(current, created, step);
    } else this.#file.replace(undefined, created, step, [{ ...old, pendingDelete: true }]);
  }
}

const secretsIn = ({ declared, inputs }: Target): Set<string> =>
  new Set([...secretsOf(inputs), ...secretsOfKind[declared.kind]]);
