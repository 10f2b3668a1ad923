import type { Phase, Printed } from "../evidence/phase.js";
import type { DeclaredProgram, Step } from "../evidence/stack.js";
import { offeredBy, shapeOf } from "../offers.js";
import type { Command } from "../scenarios.js";
import { Killed, type World } from "../world.js";
import type { User } from "./user.js";

/** What the engine prints and does while a command runs. */
export interface Observed {
  readonly printed: Printed[];
  readonly steps: Step[];
}

/** Runs the commands of a case, and records a phase for each. */
export class Commands {
  readonly programs: DeclaredProgram[] = [];
  readonly phases: Phase[] = [];
  /** The messages that ended a command, without ids, names and times. */
  readonly stops: string[] = [];
  /** What the campaign itself noticed. */
  readonly complaints: string[] = [];
  /** The provider or the engine was killed during the current command. */
  killed = false;
  readonly #world: World;
  readonly #user: User;
  readonly #observed: Observed;

  constructor(world: World, user: User, observed: Observed) {
    this.#world = world;
    this.#user = user;
    this.#observed = observed;
  }

  get last(): Phase | undefined {
    return this.phases.at(-1);
  }

  async run(
    name: Phase["name"],
    command: Command,
    { dry = false, attempt }: { dry?: boolean; attempt?: number } = {},
  ): Promise<Phase["outcome"]> {
    const { service, time, engine } = this.#world;
    // A person takes a minute between two commands.
    await time.pause(60_000);
    const from = service.exchanges.length;
    const journalFrom = service.journal().length;
    const startedAt = time.now;
    this.#observed.printed.length = 0;
    this.#observed.steps.length = 0;
    this.killed = false;
    const typed = this.#user.takeTyped();
    const program = command.do === "up" ? this.#indexOf(command.program) : undefined;
    const outcome = await this.#outcomeOf(command, dry);
    // Lets the last messages arrive.
    for (let turn = 0; turn < 4; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
    const printed = [...this.#observed.printed];
    if (outcome === "failed" && name !== "prefix")
      this.stops.push(
        ...printed.filter(({ kind }) => kind === "diagnostic").map(({ text }) => shapeOf(text)),
      );
    if (outcome !== "ok" && name === "prefix")
      this.complaints.push(`the prefix failed: ${printed.map(({ text }) => text).join("\n")}`);
    const { "cloudservices:apiKey": _key, ...settings } = this.#user.config;
    this.phases.push({
      name,
      ...(attempt !== undefined && { attempt }),
      command: dry ? "preview" : command.do,
      ...(program !== undefined && { program }),
      outcome,
      startedAt,
      endedAt: time.now,
      typed,
      printed,
      offered: offeredBy(printed),
      steps: [...this.#observed.steps],
      exchanges: [from, service.exchanges.length],
      journal: [journalFrom, service.journal().length],
      live: service.live(),
      state: engine.export(),
      settings,
    });
    return outcome;
  }

  async #outcomeOf(command: Command, dry: boolean): Promise<Phase["outcome"]> {
    let outcome: Phase["outcome"] = "ok";
    try {
      const counts = await this.#execute(command, dry);
      const changes = Object.keys(counts).filter((op) => op !== "same");
      if (dry && changes.length > 0)
        this.complaints.push(`the preview is not empty: ${JSON.stringify(counts)}`);
    } catch (error) {
      outcome = error instanceof Killed ? "killed" : "failed";
    }
    return this.killed ? "killed" : outcome;
  }

  async #execute(command: Command, dry: boolean): Promise<Readonly<Record<string, number>>> {
    const { engine } = this.#world;
    const { config, runsProgram } = this.#user;
    switch (command.do) {
      case "up":
        return engine.up(command.program, config, dry);
      case "refresh":
        if (engine.hasRun) await engine.refresh(runsProgram ? config : undefined);
        return {};
      case "destroy":
        await engine.destroy(runsProgram ? config : undefined);
        return {};
    }
  }

  #indexOf(program: DeclaredProgram): number {
    const known = this.programs.indexOf(program);
    if (known >= 0) return known;
    this.programs.push(program);
    return this.programs.length - 1;
  }
}
