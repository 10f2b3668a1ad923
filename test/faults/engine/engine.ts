import type { DeclaredProgram, State } from "../evidence/stack.js";
import type { StackEngine } from "../world.js";
import { CheckpointFile, type EngineOutput } from "./checkpoint.js";
import { deleteAll } from "./delete.js";
import { refreshAll } from "./refresh.js";
import { endSession, type Session, type StartSession } from "./session.js";
import { Update } from "./update.js";

/*
 * A model of the engine: what Pulumi 3.220 does with a program and a state, for resources of a dynamic provider. It
 * follows deploy/step_generator.go, deploy/step.go and deploy/deployment_executor.go of Pulumi's source. It writes a
 * checkpoint after every step, so that a kill can strike between a step and its checkpoint.
 */

type Config = Readonly<Record<string, string>>;

/** The commands on one stack. */
export class Engine implements StackEngine {
  readonly replaced = new Set<string>();
  readonly #file: CheckpointFile;
  readonly #start: StartSession;

  constructor(start: StartSession, output: EngineOutput) {
    this.#start = start;
    this.#file = new CheckpointFile(output);
  }

  get hasRun(): boolean {
    return this.#file.state.config !== undefined;
  }

  async up(program: DeclaredProgram, config: Config, dry = false): Promise<Readonly<Record<string, number>>> {
    return this.#inSession(config, async (session) => {
      if (!dry) this.#file.write({ config });
      try {
        return await new Update(this.#file, session, program, { dry, replaced: this.replaced }).run();
      } finally {
        if (!dry) this.replaced.clear();
      }
    });
  }

  async refresh(config: Config | undefined): Promise<void> {
    await this.#inSession(config, (session) => refreshAll(this.#file, session));
  }

  async destroy(config: Config | undefined): Promise<void> {
    await this.#inSession(config, (session) => deleteAll(this.#file, session, this.#file.state.resources));
  }

  /** Kills the engine: it writes nothing more, until `cancel`. */
  kill(): void {
    this.#file.isDead = true;
  }

  /** `pulumi cancel`. */
  cancel(): void {
    this.#file.isDead = false;
  }

  deleteFromState(urn: string, withDependents: boolean): void {
    const resources = this.#file.state.resources.filter(
      (stored) => stored.urn !== urn && !(withDependents && stored.dependencies.includes(urn)),
    );
    this.#file.write({ resources });
  }

  export(): State {
    return this.#file.export();
  }

  async #inSession<T>(config: Config | undefined, run: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.#start(config ?? this.#file.state.config ?? {});
    try {
      return await run(session);
    } finally {
      endSession(session);
    }
  }
}
