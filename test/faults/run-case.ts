import type { Fault, Seen } from "./catalogue.js";
import type {
  DeclaredProgram,
  Ending,
  Evidence,
  Exchange,
  Fix,
  Foreign,
  InjectedFault,
  Phase,
  Printed,
  Step,
} from "./evidence.js";
import { openFast } from "./fast.js";
import type { Patch } from "./host.js";
import { saysItExpires } from "./judge/facts.js";
import { lookedUp, offeredBy, shapeOf } from "./offers.js";
import {
  ADOPTED,
  type Command,
  canaries,
  KEY,
  OTHER_KEY,
  type Plan,
  ROTATED_KEY,
  TENANT,
} from "./scenarios.js";
import type { Judged, Planted, Service, Victim } from "./service.js";
import type { Clock } from "./time.js";
import { Killed, type OpenWorld, type StackEngine, type World } from "./world.js";

/** A fault at one request of the broken command. */
export interface StrikeAt {
  readonly seen: Seen;
  readonly fault: Fault;
}

export interface Case {
  readonly id: string;
  readonly seed: number;
  readonly plan: Plan;
  readonly strikes: readonly StrikeAt[];
  readonly mutant?: { readonly name: string; readonly apply: Patch };
  /** Strikes at random, beside the strikes that are meant. */
  readonly chaos?: {
    choose(exchange: Exchange): Judged | undefined;
    readonly lied: boolean;
  };
}

const ATTEMPTS = 3;
/** Classes of faults in which a success says what is not so. */
export const LIES: ReadonlySet<string> = new Set(["field", "stale", "list", "provisioning", "drift"]);

/** A stack on which round after round is run. */
export const openRun = (given: Case): Promise<Run> => Run.open(given, openFast);

/** Runs one case from an empty account to the end of its destroy. */
export async function runCase(given: Case, open: OpenWorld = openFast): Promise<Evidence> {
  const run = await Run.open(given, open);
  try {
    await run.all();
  } catch (error) {
    run.complaints.push(
      `the campaign itself failed: ${error instanceof Error ? error.stack : String(error)}`,
    );
  } finally {
    await run.close();
  }
  return run.evidence();
}

class Run {
  readonly complaints: string[] = [];
  readonly #case: Case;
  readonly #world: World;
  readonly #time: Clock;
  readonly #service: Service;
  readonly #engine: StackEngine;
  readonly #programs: DeclaredProgram[] = [];
  readonly #phases: Phase[] = [];
  readonly #foreign: Foreign[] = [];
  readonly #struck = new Map<StrikeAt, number[]>();
  readonly #stops: string[] = [];
  readonly #printed: Printed[];
  readonly #steps: Step[];
  #typed: Fix[] = [];
  readonly #offers = new Map<string, number>();
  #killed = false;
  #runs = 0;
  #brokenFrom = Number.POSITIVE_INFINITY;
  #brokenTo = Number.POSITIVE_INFINITY;
  #final: DeclaredProgram | undefined;
  #wantsRunProgram = false;
  #config: Readonly<Record<string, string>>;

  private constructor(given: Case, world: World, seen: { printed: Printed[]; steps: Step[] }) {
    this.#case = given;
    this.#world = world;
    this.#time = world.time;
    this.#service = world.service;
    this.#engine = world.engine;
    this.#printed = seen.printed;
    this.#steps = seen.steps;
    this.#config = {
      "cloudservices:apiKey": KEY,
      "cloudservices:baseUrl": world.service.baseUrl,
      "cloudservices:api": given.plan.mode,
      ...(given.plan.mode === "documented" && { "cloudservices:undeletable": "abandon" }),
      ...world.settings,
    };
    world.service.keys.set(ROTATED_KEY, KEY);
    world.service.onKill = (whom) => this.#kill(whom);
    world.service.onPlant = (planted) => this.#plant(planted, { phase: this.#phases.length, when: "during" });
    world.service.strikeWith((exchange) => this.#strikeFor(exchange));
  }

  static async open(given: Case, openWorld: OpenWorld): Promise<Run> {
    const seen = { printed: [] as Printed[], steps: [] as Step[] };
    const world = await openWorld(given, {
      print: (each) => seen.printed.push(each),
      step: (each) => seen.steps.push(each),
    });
    return new Run(given, world, seen);
  }

  #kill(whom: Victim): void {
    // A service that goes down is no end of the command.
    if (whom !== "sandbox") this.#killed = true;
    this.#world.kill(whom);
  }

  #strikeFor(exchange: Exchange) {
    const inBroken = exchange.index >= this.#brokenFrom && exchange.index < this.#brokenTo;
    for (const strike of this.#case.strikes) {
      const { fault, seen } = strike;
      if (fault.span !== "always" && !inBroken) continue;
      const struck = this.#struck.get(strike) ?? [];
      if (fault.span === "once" && struck.length > 0) continue;
      if (fault.span !== "always" && !this.#hasCome(seen, exchange)) continue;
      const isRoute = exchange.method === seen.method && exchange.route === seen.route;
      if ((fault.span === "once" || fault.span === "every") && !isRoute) continue;
      this.#struck.set(strike, [...struck, exchange.index]);
      return { name: fault.name, strike: fault.strike };
    }
    return inBroken ? this.#case.chaos?.choose(exchange) : undefined;
  }

  /** The request that is meant is this one, or was before it. */
  #hasCome(seen: Seen, exchange: Exchange): boolean {
    const alike = this.#service.exchanges
      .slice(this.#brokenFrom, exchange.index + 1)
      .filter(({ method, route }) => method === seen.method && route === seen.route);
    return alike.length > seen.occurrence;
  }

  async begin(): Promise<void> {
    // Where nothing can be waited for, what is made is there at once.
    if (this.#case.plan.mode === "documented")
      for (const kind of ["vps", "vpsAction"] as const)
        this.#service.sandbox.progress(kind, { mode: "time", ms: 0 });
    await this.#plantForeign();
  }

  /** One change of the program, broken, recovered from and looked at. */
  async round(program: DeclaredProgram): Promise<{ result: "ok" | "recovered" | "stuck"; runs: number }> {
    this.#phases.length = 0;
    this.#programs.length = 0;
    this.#offers.clear();
    this.#service.forget();
    this.#runs = 0;
    this.#final = program;
    this.#brokenFrom = this.#service.exchanges.length;
    this.#brokenTo = Number.POSITIVE_INFINITY;
    const broken: Command = { do: "up", program };
    const outcome = await this.#phase("broken", broken);
    this.#brokenTo = this.#service.exchanges.length;
    const isTrue = outcome === "ok" && !this.#case.chaos?.lied;
    if (!isTrue && !(await this.#recover(broken))) return { result: "stuck", runs: this.#runs };
    await this.#phase("preview", { do: "up", program: this.#final }, true);
    return { result: isTrue ? "ok" : "recovered", runs: this.#runs };
  }

  async all(): Promise<void> {
    const { plan } = this.#case;
    await this.begin();
    const adopted = plan.seed && (await this.#seed(plan.seed.kind, plan.seed.fields));
    const real = (program: DeclaredProgram) =>
      adopted === undefined ? program : withAdopted(program, adopted);
    this.#final = plan.final && real(plan.final);
    for (const command of plan.prefix) await this.#phase("prefix", command);
    this.#brokenFrom = this.#service.exchanges.length;
    const broken: Command =
      plan.broken.do === "destroy" ? plan.broken : { ...plan.broken, program: real(plan.broken.program) };
    const own = this.#config;
    const isOther = this.#case.strikes.some(({ fault }) => fault.name === "key-other");
    // A refresh and a destroy go by the state's key, unless they are told to run the program.
    this.#wantsRunProgram = isOther;
    if (isOther) this.#config = { ...own, "cloudservices:apiKey": OTHER_KEY };
    const outcome = await this.#phase("broken", broken);
    this.#config = own;
    this.#brokenTo = this.#service.exchanges.length;
    this.#afterBroken();
    const done = outcome === "ok" ? await this.#lookAgain(broken) : await this.#recover(broken);
    if (!done) return;
    if (plan.final) {
      // What the user has changed in the program stays changed.
      const isChanged = this.#phases.some(({ typed }) =>
        typed.some((fix) => fix.do === "unadopt" || fix.do === "input"),
      );
      const program = (isChanged && this.#final) || real(plan.final);
      await this.#phase("preview", { do: "up", program }, true);
      await this.#destroyAll();
    } else if (this.#engine.export().resources.length > 0)
      this.complaints.push("destroy has left something in the state");
    this.#lookAround();
  }

  /** In the end, nothing of ours is left and everything of theirs is there. */
  #lookAround(): void {
    const live = this.#service.live();
    const theirs = new Set(this.#foreign.map(({ id }) => id));
    // A lost inbox stays until its time is over, where a message says so, or a killed process could not.
    const mayStay = this.#phases.some(
      ({ outcome, printed }) =>
        outcome === "killed" ||
        saysItExpires(printed.filter(({ kind }) => kind !== "status").map(({ text }) => text)),
    );
    const left = live.filter(
      ({ id, kind, tenant }) => tenant === TENANT && !theirs.has(id) && !(kind === "Inbox" && mayStay),
    );
    // The mode `documented` has no requests that delete.
    if (this.#case.plan.mode === "conventional" && left.length > 0)
      this.complaints.push(`left at the service: ${left.map(({ kind, id }) => `${kind} ${id}`).join(", ")}`);
    for (const { id, kind } of this.#foreign)
      if (!live.some((each) => each.id === id))
        this.complaints.push(`somebody else's ${kind} ${id} was deleted`);
  }

  #afterBroken(): void {
    if (this.#case.strikes.some(({ fault }) => fault.name === "key-rotated")) {
      this.#service.keys.set(KEY, undefined);
      this.#config = { ...this.#config, "cloudservices:apiKey": ROTATED_KEY };
    }
  }

  /** What a false answer has put into the state is corrected by the next refresh, and by the run after it. */
  async #lookAgain(broken: Command): Promise<boolean> {
    const lies = this.#case.strikes.some(({ fault }) => LIES.has(fault.class));
    if (!lies || broken.do === "destroy") return true;
    return this.#recover(broken);
  }

  async #recover(broken: Command): Promise<boolean> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      this.#runs = attempt;
      if (attempt === 1) await this.#lookAfterKill();
      await this.#type();
      await this.#engine.cancel();
      const command: Command =
        broken.do === "destroy" ? broken : { do: "up", program: this.#final ?? broken.program };
      const refreshed = await this.#phase(
        "recover-refresh",
        { do: "refresh", program: this.#final ?? { resources: [] } },
        false,
        attempt,
      );
      if (refreshed !== "ok") await this.#type();
      if ((await this.#phase("recover-up", command, false, attempt)) === "ok") return true;
    }
    return false;
  }

  /** Does what the last messages offer first, for each resource; after the same message once more, what comes next. */
  async #type(): Promise<void> {
    const [last] = this.#phases.slice(-1);
    // Whoever has used the wrong key has put it right, which is what the message says first.
    const wasWrongKey = this.#case.strikes.some(({ fault }) => fault.name === "key-other");
    if (!last || (last.name === "broken" && wasWrongKey)) return;
    const about = new Set<string>();
    for (const printed of last.printed.filter(({ kind }) => kind === "diagnostic")) {
      const { urn = "" } = printed;
      const { fixes } = offeredBy([printed]);
      // A stack that is to be destroyed has no program to run.
      const fix =
        fixes.find((each) => each.do === "refresh-run-program") ??
        fixes[this.#followed(urn, printed)] ??
        fixes.at(-1);
      if (!fix || about.has(urn)) continue;
      about.add(urn);
      await this.#apply(this.#found(fix));
    }
  }

  /**
   * In the mode `documented` most kinds cannot be listed, and the documentation says to look at the service before
   * anything is run again. What an interrupted creation has left cannot be adopted there, so it is deleted.
   */
  async #lookAfterKill(): Promise<void> {
    const [last] = this.#phases.slice(-1);
    if (this.#case.plan.mode !== "documented" || last?.outcome !== "killed") return;
    const interrupted = new Set([
      ...last.steps.filter(({ outcome }) => outcome === "killed").map(({ urn }) => urn),
      ...last.state.pending.map(({ urn }) => urn),
    ]);
    for (const declared of this.#final?.resources ?? []) {
      if (declared.kind === "Link" || !interrupted.has(declared.urn)) continue;
      // A creation that was sent again may have left more than one.
      for (let id = this.#lookUp(declared); id !== undefined; id = this.#lookUp(declared))
        await this.#apply({ do: "delete-at-service", id });
    }
  }

  /** How many offers of a message were followed before, which it has come back after. */
  #followed(urn: string, { text }: Printed): number {
    const message = `${urn} ${shapeOf(text)}`;
    const followed = this.#offers.get(message) ?? 0;
    this.#offers.set(message, followed + 1);
    return followed;
  }

  /** Where a message names no id, the user looks for it at the service. */
  #found(fix: Fix): Fix {
    if (fix.do !== "delete-at-service" || fix.id !== "") return fix;
    const declared = this.#final?.resources.find(({ urn }) => urn === fix.urn);
    return { ...fix, id: (declared && this.#lookUp(declared)) ?? "" };
  }

  #lookUp(declared: DeclaredProgram["resources"][number]): string | undefined {
    const isForeign = (other: string) => this.#foreign.some((each) => each.id === other);
    return lookedUp(declared, this.#service.live(), this.#engine.export(), isForeign);
  }

  async #apply(fix: Fix): Promise<void> {
    this.#typed.push(fix);
    switch (fix.do) {
      case "adopt":
        this.#adopt(fix.urn, fix.id);
        return;
      case "input":
        this.#final = changedIn(this.#final, fix.urn, (declared) => ({
          ...declared,
          inputs: { ...declared.inputs, [fix.input]: fix.value },
        }));
        return;
      case "unadopt":
        if (this.#service.live().some(({ id }) => id === fix.ifGone)) return;
        this.#final = changedIn(this.#final, fix.urn, ({ inputs: { adopt: _, ...inputs }, ...declared }) => ({
          ...declared,
          inputs,
        }));
        return;
      case "config":
        // What was created under the wrong key lives in its account, so that is where the right key is the wrong one.
        this.#config = this.#isOfOtherAccount
          ? { ...this.#config, "cloudservices:apiKey": OTHER_KEY }
          : { ...this.#config, [fix.key]: fix.value };
        return;
      case "refresh-run-program":
        this.#wantsRunProgram = true;
        return;
      case "delete-at-service":
        await this.#service.sandbox.remove(fix.id).catch(() => undefined);
        return;
      case "switch-at-service":
        await this.#service.sandbox.change(fix.id, { status: fix.to });
        return;
      case "replace":
        this.#engine.replaced.add(fix.urn);
        return;
      case "state-delete":
        await this.#engine.forget(fix.urn, fix.withDependents ?? false);
        return;
      case "option":
        this.#final = changedIn(this.#final, fix.urn, (declared) => ({
          ...declared,
          options: { ...declared.options, [fix.option]: true },
        }));
        return;
      case "up-again":
        return;
    }
  }

  get #isOfOtherAccount(): boolean {
    const { plan, strikes } = this.#case;
    return plan.scenario.operation === "create" && strikes.some(({ fault }) => fault.name === "key-other");
  }

  #adopt(urn: string, id: string): void {
    const declared = this.#final?.resources.find((each) => each.urn === urn);
    if (!declared) return;
    const found = id.startsWith("<") ? this.#lookUp(declared) : id;
    if (found === undefined) return;
    this.#final = changedIn(this.#final, urn, (each) => ({
      ...each,
      inputs: { ...each.inputs, adopt: found },
    }));
  }

  async #destroyAll(): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      if ((await this.#phase("destroy", { do: "destroy" }, false, attempt)) === "ok") return;
      await this.#type();
      await this.#phase("destroy-refresh", { do: "refresh", program: { resources: [] } }, false, attempt);
    }
    this.complaints.push("destroy did not come to an end");
  }

  async #phase(
    name: Phase["name"],
    command: Command,
    dry = false,
    attempt?: number,
  ): Promise<Phase["outcome"]> {
    // People take their time between two commands.
    await this.#time.pause(60_000);
    const from = this.#service.exchanges.length;
    const journalFrom = this.#service.journal().length;
    const startedAt = this.#time.now;
    this.#printed.length = 0;
    this.#steps.length = 0;
    this.#killed = false;
    const typed = this.#typed.splice(0);
    const program = "program" in command && command.do === "up" ? this.#numberOf(command.program) : undefined;
    let outcome: Phase["outcome"] = "ok";
    try {
      const counts = await this.#carryOut(command, dry);
      const changes = Object.keys(counts).filter((op) => op !== "same");
      if (dry && changes.length > 0)
        this.complaints.push(`the preview is not empty: ${JSON.stringify(counts)}`);
    } catch (error) {
      outcome = error instanceof Killed || this.#killed ? "killed" : "failed";
    }
    if (this.#killed) outcome = "killed";
    // What was printed in the last moment is on its way.
    for (let turn = 0; turn < 4; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
    const printed = [...this.#printed];
    if (outcome === "failed" && name !== "prefix")
      this.#stops.push(
        ...printed.filter(({ kind }) => kind === "diagnostic").map(({ text }) => shapeOf(text)),
      );
    if (outcome !== "ok" && name === "prefix")
      this.complaints.push(`the prefix failed: ${printed.map(({ text }) => text).join("\n")}`);
    const { "cloudservices:apiKey": _key, ...settings } = this.#config;
    this.#phases.push({
      name,
      ...(attempt !== undefined && { attempt }),
      command: dry ? "preview" : command.do,
      ...(program !== undefined && { program }),
      outcome,
      startedAt,
      endedAt: this.#time.now,
      typed,
      printed,
      offered: offeredBy(printed),
      steps: [...this.#steps],
      exchanges: [from, this.#service.exchanges.length],
      journal: [journalFrom, this.#service.journal().length],
      live: this.#service.live(),
      state: this.#engine.export(),
      settings,
    });
    return outcome;
  }

  async #carryOut(command: Command, dry: boolean): Promise<Readonly<Record<string, number>>> {
    switch (command.do) {
      case "up":
        return this.#engine.up(command.program, this.#config, dry);
      case "refresh": {
        const config = this.#wantsRunProgram ? this.#config : undefined;
        if (!this.#engine.hasRun) return {};
        await this.#engine.refresh(config);
        return {};
      }
      case "destroy":
        await this.#engine.destroy(this.#wantsRunProgram ? this.#config : undefined);
        return {};
    }
  }

  #numberOf(program: DeclaredProgram): number {
    const known = this.#programs.indexOf(program);
    if (known >= 0) return known;
    this.#programs.push(program);
    return this.#programs.length - 1;
  }

  async #seed(
    kind: "Link" | "Database" | "VpsInstance" | "Inbox" | "Webhook",
    fields: Readonly<Record<string, unknown>>,
    tenant = TENANT,
  ): Promise<string> {
    const [made] = await this.#service.sandbox.seed([{ kind, tenant, fields: { ...fields } }]);
    return made?.id ?? "";
  }

  /** Others on the account have what looks like ours, and so has another account. */
  async #plantForeign(): Promise<void> {
    const region = "eu-central-1";
    const theirs = [
      { kind: "Link", like: ["url"], fields: { url: "https://example.com/home" } },
      {
        kind: "Database",
        like: ["name"],
        fields: { name: "orders", engine: "postgresql", version: "15", plan: "db-starter-1", region },
      },
      {
        kind: "VpsInstance",
        like: ["name"],
        fields: { name: "web", plan: "vps-micro-1", region, image: "debian-12" },
      },
      { kind: "Inbox", like: [], fields: { prefix: "theirs", ttl_minutes: 1_440 } },
      {
        kind: "Webhook",
        like: ["url"],
        fields: {
          url: "https://hooks.example.com/backups",
          events: ["vps.snapshot.completed"],
          secret: "a-foreign-secret",
        },
      },
    ] as const;
    for (const tenant of [TENANT, "another"])
      for (const each of theirs) await this.#plant(each, { phase: 0, when: "before" }, tenant);
  }

  async #plant({ kind, like, fields }: Planted, planted: Foreign["planted"], tenant = TENANT): Promise<void> {
    const id = await this.#seed(kind, fields, tenant);
    const live = this.#service.live().find((each) => each.id === id);
    this.#foreign.push({ kind, id, tenant, planted, like, fields: live?.fields ?? {} });
  }

  async close(): Promise<void> {
    await this.#world.close();
  }

  evidence(): Evidence {
    const { id, seed, plan, strikes, mutant } = this.#case;
    const broken = this.#phases.findIndex(({ name }) => name === "broken");
    const faults = strikes.map((strike): InjectedFault => {
      const { fault, seen } = strike;
      const { name, span, when } = fault;
      const { index, method, route } = seen;
      return {
        name,
        class: fault.class,
        span,
        when,
        phase: broken,
        request: { index, method, route },
        struck: this.#struck.get(strike) ?? [],
      };
    });
    return {
      id,
      seed,
      replay: `npm run faults -- --replay '${id}'${mutant ? ` --mutant ${mutant.name}` : ""}`,
      mode: plan.mode,
      scenario: plan.scenario,
      ...(mutant && { mutant: mutant.name }),
      faults,
      programs: this.#programs,
      phases: this.#phases,
      exchanges: this.#service.exchanges,
      journal: this.#journal,
      foreign: this.#foreign,
      secrets: { apiKey: KEY, ...canaries },
      files: this.#world.files(),
      ending: this.#ending(faults),
    };
  }

  get #journal() {
    return this.#service.journal();
  }

  #ending(faults: readonly InjectedFault[]): Ending {
    const last = this.#phases.at(-1);
    const crashed = this.complaints.some((each) => each.startsWith("the campaign itself"));
    const isOver = last?.outcome === "ok" && (last.name === "destroy" || last.command === "destroy");
    const result: Ending["result"] = crashed
      ? "crashed"
      : faults.length > 0 && faults.every(({ struck }) => struck.length === 0)
        ? "unstruck"
        : isOver
          ? "recovered"
          : this.#phases.some(({ typed }) => typed.length > 0)
            ? "stuck"
            : "stopped";
    return { result, runs: this.#runs, stops: this.#stops, complaints: this.complaints };
  }
}

function changedIn(
  program: DeclaredProgram | undefined,
  urn: string,
  change: (declared: DeclaredProgram["resources"][number]) => DeclaredProgram["resources"][number],
): DeclaredProgram | undefined {
  return program && { resources: program.resources.map((each) => (each.urn === urn ? change(each) : each)) };
}

const withAdopted = (program: DeclaredProgram, id: string): DeclaredProgram => ({
  resources: program.resources.map((each) =>
    each.inputs["adopt"] === ADOPTED ? { ...each, inputs: { ...each.inputs, adopt: id } } : each,
  ),
});
