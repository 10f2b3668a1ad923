import type { Ending, Evidence, InjectedFault } from "../evidence/evidence.js";
import type { Phase } from "../evidence/phase.js";
import type { DeclaredProgram } from "../evidence/stack.js";
import { saysItExpires } from "../judge/facts.js";
import { ADOPTED, type Command } from "../scenarios.js";
import type { Victim } from "../service/service.js";
import { canaries, KEY, OTHER_KEY, ROTATED_KEY, TENANT } from "../subjects.js";
import type { OpenWorld, World } from "../world.js";
import { type Case, hasFault, MISLEADING } from "./case.js";
import { Commands, type Observed } from "./commands.js";
import { Neighbours, seed } from "./neighbours.js";
import { Striker } from "./striker.js";
import { User } from "./user.js";

/** How often recovery is tried. */
const ATTEMPTS = 3;

/** One run of a case, or of a stack that changes round after round. */
export class Run {
  readonly #case: Case;
  readonly #world: World;
  readonly #neighbours: Neighbours;
  readonly #striker: Striker;
  readonly #user: User;
  readonly #commands: Commands;
  #attempts = 0;

  private constructor(given: Case, world: World, observed: Observed) {
    const { service } = world;
    this.#case = given;
    this.#world = world;
    this.#neighbours = new Neighbours(service);
    this.#striker = new Striker(given, service);
    this.#user = new User(given, world, this.#neighbours);
    this.#commands = new Commands(world, this.#user, observed);
    service.keys.set(ROTATED_KEY, KEY);
    service.onKill = (victim) => this.#kill(victim);
    service.onPlant = (planted) =>
      this.#neighbours.plant(planted, { phase: this.#commands.phases.length, when: "during" });
    service.strikeWith((exchange) => this.#striker.choose(exchange));
  }

  static async open(given: Case, openWorld: OpenWorld): Promise<Run> {
    const observed: Observed = { printed: [], steps: [] };
    const world = await openWorld(given, {
      print: (each) => observed.printed.push(each),
      step: (each) => observed.steps.push(each),
    });
    return new Run(given, world, observed);
  }

  async begin(): Promise<void> {
    // The mode `documented` cannot poll for these, so they are ready at once.
    if (this.#case.plan.mode === "documented")
      for (const kind of ["vps", "vpsAction"] as const)
        this.#world.service.sandbox.progress(kind, { mode: "time", ms: 0 });
    await this.#neighbours.plantAll();
  }

  /** Changes the program with faults, recovers, and previews. */
  async round(program: DeclaredProgram): Promise<{ result: "ok" | "recovered" | "stuck"; runs: number }> {
    this.#commands.phases.length = 0;
    this.#commands.programs.length = 0;
    this.#user.forgetOffers();
    this.#world.service.forget();
    this.#attempts = 0;
    this.#user.program = program;
    const broken: Command = { do: "up", program };
    const outcome = await this.#runBroken(broken);
    const isTrue = outcome === "ok" && !this.#case.chaos?.lied;
    if (!isTrue && !(await this.#recover(broken))) return { result: "stuck", runs: this.#attempts };
    await this.#commands.run("preview", { do: "up", program: this.#user.program }, { dry: true });
    return { result: isTrue ? "ok" : "recovered", runs: this.#attempts };
  }

  /** Runs the whole case: the commands before the broken one, the broken one, recovery, preview and destroy. */
  async all(): Promise<void> {
    const { plan } = this.#case;
    const user = this.#user;
    await this.begin();
    const adopted = plan.seed && (await seed(this.#world.service, plan.seed));
    const real = (program: DeclaredProgram) =>
      adopted === undefined ? program : withAdopted(program, adopted);
    user.program = plan.final && real(plan.final);
    for (const command of plan.prefix) await this.#commands.run("prefix", command);
    const broken: Command =
      plan.broken.do === "destroy" ? plan.broken : { ...plan.broken, program: real(plan.broken.program) };
    const outcome = await this.#runBrokenWithKeys(broken);
    const done = outcome === "ok" ? await this.#recoverIfMisled(broken) : await this.#recover(broken);
    if (!done) return;
    if (plan.final) {
      // The user's changes to the program stay.
      const isChanged = this.#commands.phases.some(({ typed }) =>
        typed.some((fix) => fix.do === "unadopt" || fix.do === "input"),
      );
      const program = (isChanged && user.program) || real(plan.final);
      await this.#commands.run("preview", { do: "up", program }, { dry: true });
      await this.#destroyAll();
    } else if (this.#world.engine.export().resources.length > 0)
      this.complain("destroy has left something in the state");
    this.#checkService();
  }

  complain(text: string): void {
    this.#commands.complaints.push(text);
  }

  async close(): Promise<void> {
    await this.#world.close();
  }

  evidence(): Evidence {
    const { id, seed, plan, mutant } = this.#case;
    const { service } = this.#world;
    const { phases, programs } = this.#commands;
    const faults = this.#striker.injected(phases.findIndex(({ name }) => name === "broken"));
    return {
      id,
      seed,
      replay: `npm run faults -- --replay '${id}'${mutant ? ` --mutant ${mutant.name}` : ""}`,
      mode: plan.mode,
      scenario: plan.scenario,
      ...(mutant && { mutant: mutant.name }),
      faults,
      programs,
      phases,
      exchanges: service.exchanges,
      journal: service.journal(),
      foreign: this.#neighbours.all,
      secrets: { apiKey: KEY, ...canaries },
      files: this.#world.files(),
      ending: this.#ending(faults),
    };
  }

  #kill(victim: Victim): void {
    // When the service is killed, the command goes on.
    if (victim !== "sandbox") this.#commands.killed = true;
    this.#world.kill(victim);
  }

  async #runBroken(broken: Command): Promise<Phase["outcome"]> {
    this.#striker.begin();
    const outcome = await this.#commands.run("broken", broken);
    this.#striker.end();
    return outcome;
  }

  /** Uses another account's key for the broken command, or a new key after it, if the case says so. */
  async #runBrokenWithKeys(broken: Command): Promise<Phase["outcome"]> {
    const user = this.#user;
    const own = user.config;
    user.runsProgram = hasFault(this.#case, "key-other");
    if (user.runsProgram) user.config = { ...own, "cloudservices:apiKey": OTHER_KEY };
    const outcome = await this.#runBroken(broken);
    user.config = own;
    if (hasFault(this.#case, "key-rotated")) {
      this.#world.service.keys.set(KEY, undefined);
      user.config = { ...own, "cloudservices:apiKey": ROTATED_KEY };
    }
    return outcome;
  }

  /** Recovers after a success that may rest on false data: the next refresh and run correct the state. */
  async #recoverIfMisled(broken: Command): Promise<boolean> {
    const isMisled = this.#case.strikes.some(({ fault }) => MISLEADING.has(fault.class));
    if (!isMisled || broken.do === "destroy") return true;
    return this.#recover(broken);
  }

  async #recover(broken: Command): Promise<boolean> {
    const user = this.#user;
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      this.#attempts = attempt;
      if (attempt === 1) await user.deleteInterrupted(this.#commands.last);
      await user.followOffers(this.#commands.last);
      await this.#world.engine.cancel();
      const command: Command =
        broken.do === "destroy" ? broken : { do: "up", program: user.program ?? broken.program };
      const refresh: Command = { do: "refresh", program: user.program ?? { resources: [] } };
      const refreshed = await this.#commands.run("recover-refresh", refresh, { attempt });
      if (refreshed !== "ok") await user.followOffers(this.#commands.last);
      if ((await this.#commands.run("recover-up", command, { attempt })) === "ok") return true;
    }
    return false;
  }

  async #destroyAll(): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      if ((await this.#commands.run("destroy", { do: "destroy" }, { attempt })) === "ok") return;
      await this.#user.followOffers(this.#commands.last);
      const refresh: Command = { do: "refresh", program: { resources: [] } };
      await this.#commands.run("destroy-refresh", refresh, { attempt });
    }
    this.complain("destroy did not come to an end");
  }

  /** Checks that nothing of ours is left at the service, and that everything of others is there. */
  #checkService(): void {
    const live = this.#world.service.live();
    // A lost inbox stays until it expires if a message says so, or if the process was killed and could print nothing.
    const mayStay = this.#commands.phases.some(
      ({ outcome, printed }) =>
        outcome === "killed" ||
        saysItExpires(printed.filter(({ kind }) => kind !== "status").map(({ text }) => text)),
    );
    const left = live.filter(
      ({ id, kind, tenant }) =>
        tenant === TENANT && !this.#neighbours.own(id) && !(kind === "Inbox" && mayStay),
    );
    // The mode `documented` has no DELETE requests.
    if (this.#case.plan.mode === "conventional" && left.length > 0)
      this.complain(`left at the service: ${left.map(({ kind, id }) => `${kind} ${id}`).join(", ")}`);
    for (const { id, kind } of this.#neighbours.all)
      if (!live.some((each) => each.id === id)) this.complain(`${kind} ${id} of another owner was deleted`);
  }

  #ending(faults: readonly InjectedFault[]): Ending {
    const { phases, stops, complaints, last } = this.#commands;
    const isCrash = complaints.some((each) => each.startsWith("the campaign itself"));
    const isOver = last?.outcome === "ok" && (last.name === "destroy" || last.command === "destroy");
    const result: Ending["result"] = isCrash
      ? "crashed"
      : faults.length > 0 && faults.every(({ struck }) => struck.length === 0)
        ? "unstruck"
        : isOver
          ? "recovered"
          : phases.some(({ typed }) => typed.length > 0)
            ? "stuck"
            : "stopped";
    return { result, runs: this.#attempts, stops, complaints };
  }
}

/** Replaces the placeholder by the id of the resource to adopt. */
const withAdopted = (program: DeclaredProgram, id: string): DeclaredProgram => ({
  resources: program.resources.map((each) =>
    each.inputs["adopt"] === ADOPTED ? { ...each, inputs: { ...each.inputs, adopt: id } } : each,
  ),
});
