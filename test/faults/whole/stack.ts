import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { engineProcesses } from "../../../tools/process/engine-processes.mjs";
import { run } from "../../../tools/process/run.mjs";
import { signal } from "../../../tools/process/tree.mjs";
import { openFolder, type StackFolder } from "../../support/folder.js";
import { killProviders } from "../../support/processes.js";
import type { Evidence } from "../evidence/evidence.js";
import type { DeclaredProgram, State } from "../evidence/stack.js";
import { root } from "../host/compile.js";
import { isNative, PROJECT, STACK } from "../program.js";
import { type CommandOutput, Failed, Killed, type StackEngine } from "../world.js";
import { stateOf } from "./checkpoint.js";
import { countsIn, eventsIn, printedBy, stepsIn } from "./events.js";

/** Declares the resources of `program.json` with the real classes. */
const source = `const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const classes = require("${isNative ? "pulumi-cloudservices/native" : "pulumi-cloudservices"}");
const made = {};
const valueOf = (value) => (value && value.$ref ? made[value.$ref][value.output] : value);
for (const { kind, name, inputs, options } of JSON.parse(readFileSync(join(__dirname, "program.json"), "utf8"))) {
  const given = Object.fromEntries(Object.entries(inputs).map(([input, value]) => [input, valueOf(value)]));
  const aliases = (options.aliases ?? []).map((former) => ({ name: former }));
  made[name] = new classes[kind](name, given, { ...options, aliases });
}
`;

/** The lines that set the native plugin up. */
const plugin = `plugins:
  providers:
    - name: cloudservices
      path: ${root}provider/plugin
`;

type Config = Readonly<Record<string, string>>;

/** How long plugins may take to exit after their engine, in milliseconds. */
const PATIENCE = 5_000;

/** A stack on the real engine: each command is a process of `pulumi`, which starts its own provider process. */
export class WholeStack implements StackEngine {
  readonly replaced = new Set<string>();
  hasRun = false;
  readonly #folder: StackFolder;
  readonly #output: CommandOutput;
  readonly #began: () => void;
  readonly #ended: () => Promise<void>;
  readonly #printed: { path: string; text: string }[] = [];
  #configured = "";
  #commands = 0;
  #engine = new AbortController();
  #killed = false;
  #state: State = { resources: [], pending: [], text: "" };

  private constructor(
    folder: StackFolder,
    output: CommandOutput,
    began: () => void,
    ended: () => Promise<void>,
  ) {
    this.#folder = folder;
    this.#output = output;
    this.#began = began;
    this.#ended = ended;
  }

  /**
   * @param began - Called when a command begins.
   * @param ended - Called and awaited when it has ended.
   */
  static async open(
    output: CommandOutput,
    began: () => void,
    ended: () => Promise<void>,
  ): Promise<WholeStack> {
    const folder = openFolder();
    folder.write({
      "Pulumi.yaml": `name: ${PROJECT}\nruntime: nodejs\n${isNative ? plugin : ""}`,
      "package.json": '{ "name": "campaign", "private": true }\n',
      "index.js": source,
    });
    const stack = new WholeStack(folder, output, began, ended);
    await stack.#must(["stack", "init", STACK]);
    return stack;
  }

  async up(program: DeclaredProgram, config: Config, dry = false) {
    this.#folder.write({ "program.json": JSON.stringify(program.resources) });
    await this.#configure(config);
    const replaced = [...this.replaced].flatMap((urn) => ["--replace", urn]);
    if (!dry) {
      this.hasRun = true;
      this.replaced.clear();
    }
    return this.#command(dry ? ["preview"] : ["up", "--yes", "--skip-preview", ...replaced], dry);
  }

  async refresh(config: Config | undefined): Promise<void> {
    if (config) await this.#configure(config);
    // The documented command after an interrupted creation.
    const clear = this.#state.pending.length > 0 ? ["--clear-pending-creates"] : [];
    const program = config ? ["--run-program"] : [];
    await this.#command(["refresh", "--yes", "--skip-preview", ...clear, ...program]);
  }

  async destroy(config: Config | undefined): Promise<void> {
    if (config) await this.#configure(config);
    await this.#command(["destroy", "--yes", "--skip-preview", ...(config ? ["--run-program"] : [])]);
  }

  async cancel(): Promise<void> {
    const locks = join(this.#folder.path, "state/.pulumi/locks");
    const held = existsSync(locks) ? readdirSync(locks, { recursive: true }) : [];
    if (held.some((name) => String(name).endsWith(".json"))) await this.#must(["cancel", "--yes"]);
  }

  async deleteFromState(urn: string, withDependents: boolean): Promise<void> {
    const dependents = withDependents ? ["--target-dependents"] : [];
    await this.#must(["state", "delete", urn, "--yes", "--force", ...dependents]);
    await this.#look();
  }

  export(): State {
    return this.#state;
  }

  /** Kills this stack's process, and no other, with `kill -9`. */
  kill(whom: "provider" | "engine"): void {
    this.#killed = true;
    if (whom === "provider") killProviders(this.#folder.path);
    else this.#engine.abort();
  }

  /** Returns the output, and the engine's files: the state, its history and its backups. */
  files(): Evidence["files"] {
    const state = join(this.#folder.path, "state/.pulumi");
    const written = existsSync(state)
      ? readdirSync(state, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
      : [];
    return [
      ...this.#printed,
      ...written.map((path) => ({
        path: path.slice(this.#folder.path.length + 1),
        text: readFileSync(path, "utf8"),
      })),
    ];
  }

  async close(): Promise<void> {
    await this.#folder.remove();
  }

  async #command(args: readonly string[], dry = false): Promise<Record<string, number>> {
    this.#began();
    this.#commands += 1;
    this.#killed = false;
    this.#engine = new AbortController();
    const log = join(this.#folder.path, `events-${this.#commands}.jsonl`);
    const ended = await this.#pulumi([...args, "--event-log", log], this.#engine.signal);
    const output = `${ended.stdout}\n${ended.stderr}`;
    this.#printed.push({ path: `output of pulumi ${args.join(" ")}`, text: output });
    if (this.#killed) await this.#bury();
    const events = existsSync(log) ? eventsIn(readFileSync(log, "utf8")) : [];
    const printed = events.flatMap((event) => printedBy(event) ?? []);
    for (const each of printed) this.#output.print(each);
    for (const step of stepsIn(events, dry, this.#killed)) this.#output.step(step);
    const isSilent = !printed.some(({ kind }) => kind === "diagnostic");
    if (ended.code !== 0 && !this.#killed && isSilent)
      this.#output.print({ kind: "diagnostic", text: output.trim() });
    await this.#look();
    await this.#ended();
    if (this.#killed) throw new Killed();
    if (ended.code !== 0) throw new Failed(output);
    return countsIn(events);
  }

  /** Waits for the plugins, which exit soon after their engine. A remaining one holds no resources. */
  async #bury(): Promise<void> {
    const home = join(this.#folder.path, "home");
    const end = Date.now() + PATIENCE;
    while (Date.now() < end && engineProcesses(home).length > 0) await delay(50);
    for (const pid of engineProcesses(home)) signal(pid, "SIGKILL");
  }

  async #look(): Promise<void> {
    const file = join(this.#folder.path, `state/.pulumi/stacks/${PROJECT}/${STACK}.json`);
    this.#state = stateOf(
      await this.#must(["stack", "export", "--show-secrets"]),
      existsSync(file) ? readFileSync(file, "utf8") : "",
    );
  }

  async #configure(config: Config): Promise<void> {
    const wanted = JSON.stringify(config);
    if (wanted === this.#configured) return;
    const values = Object.entries(config).flatMap(([key, value]) => [
      key.endsWith(":apiKey") ? "--secret" : "--plaintext",
      `${key}=${value}`,
    ]);
    await this.#must(["config", "set-all", ...values]);
    this.#configured = wanted;
  }

  async #must(args: readonly string[]): Promise<string> {
    const { code, stdout, stderr, problem } = await this.#pulumi(args);
    if (code !== 0) throw new Error(`pulumi ${args.join(" ")} (${problem ?? code}):\n${stdout}${stderr}`);
    return stdout;
  }

  #pulumi(args: readonly string[], killed?: AbortSignal) {
    return run("pulumi", ["--non-interactive", "--color", "never", ...args], {
      cwd: this.#folder.path,
      env: { ...process.env, ...this.#folder.environment, PULUMI_DEBUG_COMMANDS: "true" },
      timeoutMs: 240_000,
      ...(killed && { signal: killed }),
    });
  }
}
