import type { Fix, Phase, Printed } from "../evidence/phase.js";
import type { Declared, DeclaredProgram } from "../evidence/stack.js";
import { lookedUp, offeredBy, shapeOf } from "../offers.js";
import { KEY, OTHER_KEY } from "../subjects.js";
import type { World } from "../world.js";
import { type Case, hasFault } from "./case.js";
import type { Neighbours } from "./neighbours.js";

/** A user who follows the messages: owns the program and the configuration, and types what the messages offer. */
export class User {
  /** The program as the user has changed it; undefined when the stack is to be destroyed. */
  program: DeclaredProgram | undefined;
  config: Readonly<Record<string, string>>;
  /** Refresh and destroy run the program. Without it they use the key in the state. */
  runsProgram: boolean;
  readonly #case: Case;
  readonly #world: World;
  readonly #neighbours: Neighbours;
  readonly #typed: Fix[] = [];
  readonly #offers = new Map<string, number>();

  constructor(given: Case, world: World, neighbours: Neighbours) {
    this.#case = given;
    this.#world = world;
    this.#neighbours = neighbours;
    this.runsProgram = false;
    this.config = {
      "cloudservices:apiKey": KEY,
      "cloudservices:baseUrl": world.service.baseUrl,
      "cloudservices:api": given.plan.mode,
      ...(given.plan.mode === "documented" && { "cloudservices:undeletable": "abandon" }),
      ...world.settings,
    };
  }

  /** Returns what was typed since the last call. */
  takeTyped(): Fix[] {
    return this.#typed.splice(0);
  }

  forgetOffers(): void {
    this.#offers.clear();
  }

  /** Applies the first fix that the last messages offer for each resource; if the message repeats, the next fix. */
  async followOffers(last: Phase | undefined): Promise<void> {
    // After a wrong key the user first does what the message says first: set the right one.
    if (!last || (last.name === "broken" && hasFault(this.#case, "key-other"))) return;
    const done = new Set<string>();
    for (const printed of last.printed.filter(({ kind }) => kind === "diagnostic")) {
      const { urn = "" } = printed;
      const { fixes } = offeredBy([printed]);
      const fix =
        fixes.find((each) => each.do === "refresh-run-program") ??
        fixes[this.#timesFollowed(urn, printed)] ??
        fixes.at(-1);
      if (!fix || done.has(urn)) continue;
      done.add(urn);
      await this.#apply(this.#withId(fix));
    }
  }

  /**
   * Deletes what an interrupted creation left. In the mode `documented` most kinds cannot be listed, and the
   * documentation says to look at the service before the next run. What is found there cannot be adopted.
   */
  async deleteInterrupted(last: Phase | undefined): Promise<void> {
    if (this.#case.plan.mode !== "documented" || last?.outcome !== "killed") return;
    const interrupted = new Set([
      ...last.steps.filter(({ outcome }) => outcome === "killed").map(({ urn }) => urn),
      ...last.state.pending.map(({ urn }) => urn),
    ]);
    for (const declared of this.program?.resources ?? []) {
      if (declared.kind === "Link" || !interrupted.has(declared.urn)) continue;
      // A retried creation may have left more than one.
      for (let id = this.#lookUp(declared); id !== undefined; id = this.#lookUp(declared))
        await this.#apply({ do: "delete-at-service", id });
    }
  }

  /** How many fixes of this message were applied before, without success. */
  #timesFollowed(urn: string, { text }: Printed): number {
    const message = `${urn} ${shapeOf(text)}`;
    const followed = this.#offers.get(message) ?? 0;
    this.#offers.set(message, followed + 1);
    return followed;
  }

  /** Looks up the id at the service if the message contains none. */
  #withId(fix: Fix): Fix {
    if (fix.do !== "delete-at-service" || fix.id !== "") return fix;
    const declared = this.program?.resources.find(({ urn }) => urn === fix.urn);
    return { ...fix, id: (declared && this.#lookUp(declared)) ?? "" };
  }

  #lookUp(declared: Declared): string | undefined {
    const { service, engine } = this.#world;
    return lookedUp(declared, service.live(), engine.export(), (id) => this.#neighbours.own(id));
  }

  async #apply(fix: Fix): Promise<void> {
    const { service, engine } = this.#world;
    this.#typed.push(fix);
    switch (fix.do) {
      case "adopt":
        this.#adopt(fix.urn, fix.id);
        return;
      case "input":
        this.#setInput(fix.urn, fix.input, fix.value);
        return;
      case "unadopt":
        if (service.live().some(({ id }) => id === fix.ifGone)) return;
        this.#change(fix.urn, ({ inputs: { adopt: _, ...inputs }, ...declared }) => ({
          ...declared,
          inputs,
        }));
        return;
      case "config":
        // What was created with the wrong key belongs to that key's account: there the wrong key is the right one.
        this.config = this.#isOfOtherAccount
          ? { ...this.config, "cloudservices:apiKey": OTHER_KEY }
          : { ...this.config, [fix.key]: fix.value };
        return;
      case "refresh-run-program":
        this.runsProgram = true;
        return;
      case "delete-at-service":
        await service.sandbox.remove(fix.id).catch(() => undefined);
        return;
      case "switch-at-service":
        await service.sandbox.change(fix.id, { status: fix.to });
        return;
      case "replace":
        engine.replaced.add(fix.urn);
        return;
      case "state-delete":
        await engine.deleteFromState(fix.urn, fix.withDependents ?? false);
        return;
      case "option":
        this.#change(fix.urn, (declared) => ({
          ...declared,
          options: { ...declared.options, [fix.option]: true },
        }));
        return;
      case "up-again":
        return;
    }
  }

  get #isOfOtherAccount(): boolean {
    return this.#case.plan.scenario.operation === "create" && hasFault(this.#case, "key-other");
  }

  #adopt(urn: string, id: string): void {
    const declared = this.program?.resources.find((each) => each.urn === urn);
    if (!declared) return;
    const found = id.startsWith("<") ? this.#lookUp(declared) : id;
    if (found !== undefined) this.#setInput(urn, "adopt", found);
  }

  #setInput(urn: string, input: string, value: unknown): void {
    this.#change(urn, (declared) => ({ ...declared, inputs: { ...declared.inputs, [input]: value } }));
  }

  #change(urn: string, change: (declared: Declared) => Declared): void {
    this.program = this.program && {
      resources: this.program.resources.map((each) => (each.urn === urn ? change(each) : each)),
    };
  }
}
