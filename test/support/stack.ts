import { readFileSync } from "node:fs";
import {
  type EngineEvent,
  LocalWorkspace,
  type OutputMap,
  PulumiCommand,
  type PulumiFn,
  Stack,
} from "@pulumi/pulumi/automation/index.js";
import { nativePlugin } from "pulumi-cloudservices/native";
import { summaryOf } from "pulumi-cloudservices/testing";
import { inject } from "vitest";
import { type Config, configOf, type Service } from "./config.js";
import { openFolder } from "./folder.js";
import { isNative } from "./form.js";
import { noteMode } from "./modes.js";
import { createStack, stateFile } from "./new-stack.js";
import { exportedFrom, plainOutputsIn, type State } from "./state.js";

/** The result and output of one operation on a stack. */
interface Outcome {
  /** The number of resources by operation, without the stack itself: `{ create: 2, same: 1 }`. */
  readonly summary: Readonly<Record<string, number>>;
  readonly stdout: string;
  readonly stderr: string;
  readonly events: readonly EngineEvent[];
}

interface Operation {
  /** The number of resources processed at once. Default: the engine's. */
  readonly parallel?: number;
  readonly signal?: AbortSignal;
}

interface ProgramOperation extends Operation {
  /** Replaces the stack's program from this operation on. */
  readonly program?: PulumiFn;
  readonly refresh?: boolean;
  /** Continues with the other resources after one has failed. */
  readonly continueOnError?: boolean;
  readonly target?: string[];
  readonly replace?: string[];
}

/** A stack whose program is a function of the test, driven through the Automation API. */
export interface TestStack {
  readonly folder: string;
  up(options?: ProgramOperation): Promise<Outcome & { readonly outputs: OutputMap }>;
  preview(options?: ProgramOperation): Promise<Outcome>;
  refresh(options?: Operation): Promise<Outcome>;
  destroy(options?: Operation): Promise<Outcome>;
  outputs(): Promise<OutputMap>;
  export(): Promise<State>;
  /** Replaces the stack's state, like `pulumi stack import`. */
  import(state: State): Promise<void>;
  configure(config: Config): void;
  /** Removes the stack, but not its resources at the service: its sandbox ends with the test. */
  close(): Promise<void>;
}

export interface StackOptions {
  readonly program: PulumiFn;
  /** The service of the resources. */
  readonly sandbox?: Service;
  readonly config?: Config;
  readonly project?: string;
  readonly name?: string;
  /** Added to the environment of the engine and its plugins. */
  readonly env?: Readonly<Record<string, string>>;
  /** Sets the native plugin up, for programs that use it. */
  readonly native?: boolean;
}

let found: Promise<PulumiCommand> | undefined;
/** Finds the engine once for all stacks, because asking for its version is a process. */
const command = (): Promise<PulumiCommand> => {
  found ??= PulumiCommand.get();
  return found;
};

/**
 * Saves processes of the engine. After each operation the Automation API starts up to three: one for the history, which
 * no test needs, and two for the outputs, which the file of the state contains unless they are secret.
 */
function askLess(stack: Stack, file: string): void {
  const decrypted = stack.outputs.bind(stack);
  stack.info = async () => undefined;
  stack.outputs = async () => plainOutputsIn(readFileSync(file, "utf8")) ?? decrypted();
}

/**
 * Opens a stack with its own engine home, backend and passphrase. An operation that fails rejects with an error whose
 * message contains the engine's whole output (`failureOf`).
 */
export async function openStack(options: StackOptions): Promise<TestStack> {
  const { project = "test", name = "dev" } = options;
  const folder = openFolder();
  noteMode(options.sandbox, options.config);
  const configure = createStack(folder, { project, name });
  const workspace = await LocalWorkspace.create({
    workDir: folder.path,
    envVars: { ...folder.environment, ...inject("engineSettings"), ...options.env },
    pulumiCommand: await command(),
    program: options.program,
    projectSettings: {
      name: project,
      runtime: "nodejs",
      main: process.cwd(),
      ...((isNative || options.native) && nativePlugin),
    },
  });
  // It is already selected.
  workspace.selectStack = async () => {};
  const stack = await Stack.select(name, workspace);
  const file = stateFile(folder.path, { project, name });
  askLess(stack, file);
  configure(configOf(options));

  async function collect<R extends { readonly stdout: string; readonly stderr: string }>(
    operate: (common: { color: "never"; onEvent: (event: EngineEvent) => void }) => Promise<R>,
  ) {
    const events: EngineEvent[] = [];
    const result = await operate({ color: "never", onEvent: (event) => events.push(event) });
    return {
      result,
      outcome: { summary: summaryOf(events), stdout: result.stdout, stderr: result.stderr, events },
    };
  }

  return {
    folder: folder.path,
    configure,
    close: folder.remove,
    up: async ({ program, ...given } = {}) => {
      if (program) stack.workspace.program = program;
      const { result, outcome } = await collect((common) => stack.up({ ...common, ...given }));
      return { ...outcome, outputs: result.outputs };
    },
    preview: async ({ program, continueOnError: _, ...given } = {}) => {
      if (program) stack.workspace.program = program;
      return (await collect((common) => stack.preview({ ...common, ...given }))).outcome;
    },
    refresh: async (given = {}) =>
      (await collect((common) => stack.refresh({ ...common, ...given }))).outcome,
    destroy: async (given = {}) =>
      (await collect((common) => stack.destroy({ ...common, ...given }))).outcome,
    outputs: () => stack.outputs(),
    export: async () => exportedFrom(readFileSync(file, "utf8")),
    import: (state) => stack.importStack(JSON.parse(state.text)),
  };
}

/** Returns the message of the error with which a promise must reject. */
export async function failureOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => {
      throw new Error("It was expected to fail, and succeeded.");
    },
    (error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      // Not the expected failure: the engine did not reach the program.
      if (message.includes("14 UNAVAILABLE: No connection established")) throw error;
      return message;
    },
  );
}
