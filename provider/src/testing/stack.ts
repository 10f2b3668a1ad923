import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  CommandError,
  type EngineEvent,
  LocalWorkspace,
  type OutputMap,
  type PulumiFn,
  type Stack,
} from "@pulumi/pulumi/automation";
import type { Sandbox, SandboxOptions } from "cloudservices-sandbox" with { "resolution-mode": "import" };
import { programError } from "../kernel/engine/program-error.js";
import { nativePlugin } from "../native/plugin-set-up.js";
import { readProjectFolder } from "./project-folder.js";
import { openStackFolder, type StackFolder } from "./stack-folder.js";
import { summaryOf } from "./summary.js";

/** The result of one operation on a stack. */
export interface TestOutcome {
  /** The number of resources by operation, without the stack itself: `{ create: 2, same: 1 }`. */
  readonly summary: Readonly<Record<string, number>>;
  /** What the engine printed, without colours. */
  readonly stdout: string;
  readonly stderr: string;
}

/** Options of an operation that runs the program. */
export interface TestOperation {
  /** Replaces the stack's program from this operation on. */
  readonly program?: PulumiFn;
  /** Refreshes the state first, so that drift is seen. Default: false. */
  readonly refresh?: boolean;
  /** The number of resources processed at once. Default: the engine's. */
  readonly parallel?: number;
}

/** A stack on the real engine, on a local sandbox of the service. */
export interface TestStack {
  /** The service of the resources: its faults, its clock, its mail, its resources. */
  readonly sandbox: Sandbox;
  /** The stack of Pulumi's Automation API, for what this interface lacks. */
  readonly stack: Stack;
  /** @throws CommandError whose message contains the engine's whole output. So do all operations. */
  up(options?: TestOperation): Promise<TestOutcome & { readonly outputs: OutputMap }>;
  /** Returns what `up` would do. */
  preview(options?: TestOperation): Promise<TestOutcome>;
  /** Updates the state from the service. */
  refresh(): Promise<TestOutcome>;
  /** Deletes all resources. */
  destroy(): Promise<TestOutcome>;
  /** Returns the outputs of the last `up`. */
  outputs(): Promise<OutputMap>;
  /** Returns the state as the engine stores it, a JSON text in which secrets are encrypted. */
  state(): Promise<string>;
  /** Returns the requests since the start of the last operation, oldest first, as `POST /shortener/links`. */
  requests(): string[];
  /** Removes the stack, and stops the sandbox unless it was given. May be called twice. */
  close(): Promise<void>;
}

/** Options of `testStack`. */
export interface TestStackOptions {
  /** A running sandbox, for several stacks on one account; `close` leaves it running. Default: a new one. */
  readonly sandbox?: Sandbox;
  /**
   * Another test stack whose state and sandbox this stack shares, so that a `StackReference` finds the other one:
   * `organization/<project>/<stack>`. Close the other one last. Default: a state and a sandbox of its own.
   */
  readonly shareWith?: TestStack;
  /** Options of the new sandbox. Default: a free port on 127.0.0.1, state in memory. */
  readonly sandboxOptions?: SandboxOptions;
  /**
   * The stack's configuration; a key without a namespace belongs to the project. The address and the key of the service
   * are set, and polling is as fast as the sandbox: `cloudservices:pollInterval` is 20 ms. For a project in a folder,
   * these values are added to those of its settings file. Its settings with secrets are left out.
   */
  readonly config?: Readonly<Record<string, string | { readonly secret: string }>>;
  /** The project's name, if the program is a function. Default: `test`. */
  readonly project?: string;
  /** The stack's name; for a project in a folder, it selects `Pulumi.<name>.yaml`. Default: `test`. */
  readonly name?: string;
  /** Added to the environment of the engine and its plugins. */
  readonly env?: Readonly<Record<string, string>>;
  /** Sets the native plugin up, for programs that import from `pulumi-cloudservices/native`. Default: false. */
  readonly native?: boolean;
}

/**
 * Opens a throw-away stack: the real engine, the real provider, and a sandbox of the service. It has its own state,
 * engine home and passphrase, and needs no login. Needs the `pulumi` command and the package `cloudservices-sandbox`.
 *
 * @param program - The program: a function that declares resources and may return outputs, or the path of a folder with
 * a `Pulumi.yaml` for Node.js. Nothing is written to that folder.
 * @returns The stack, without resources. Call `close()` at the end.
 * @throws RunError with the code `PROGRAM_INVALID` when the command or the package is missing.
 * @throws TypeError when both `sandbox` and `shareWith` are given.
 *
 * @example
 * ```ts
 * import { Link } from "pulumi-cloudservices";
 * import { type TestStack, testStack } from "pulumi-cloudservices/testing";
 * import { afterAll, beforeAll, expect, test } from "vitest";
 *
 * let stack: TestStack;
 * beforeAll(async () => {
 *   stack = await testStack(async () => {
 *     new Link("home", { url: "https://example.com/" });
 *   });
 * });
 * afterAll(() => stack?.close());
 *
 * test("creates one link, and nothing more in a second run", async () => {
 *   expect((await stack.up()).summary).toEqual({ create: 1 });
 *   expect(stack.requests()).toEqual(["POST /shortener/links"]);
 *   expect((await stack.up()).summary).toEqual({ same: 1 });
 * });
 * ```
 */
export async function testStack(
  program: PulumiFn | string,
  options: TestStackOptions = {},
): Promise<TestStack> {
  const { shareWith } = options;
  if (options.sandbox && shareWith)
    throw new TypeError(
      "testStack takes `sandbox` or `shareWith`, not both: a shared stack has its sandbox.",
    );
  const given = options.sandbox ?? shareWith?.sandbox;
  const sandbox = given ?? (await startSandbox(options.sandboxOptions));
  const folder = openStackFolder();
  let stack: Stack | undefined;
  let isOpen = true;
  const close = async () => {
    if (!isOpen) return;
    isOpen = false;
    // The state is in the folder of the other stack, unless that is closed already.
    if (shareWith) await stack?.workspace.removeStack(stack.name, { force: true }).catch(() => {});
    folder.remove();
    if (given === undefined) await sandbox.close();
  };

  try {
    stack = await createStack(program, options, folder);
    // A command after each operation, whose result is not used here.
    stack.info = async () => undefined;
    await stack.setAllConfig(configOf(sandbox, options.config));
    return { sandbox, stack, ...operationsOf(stack, sandbox), close };
  } catch (error) {
    await close();
    throw isMissingCommand(error) ? missingCommand() : error;
  }
}

async function createStack(
  program: PulumiFn | string,
  options: TestStackOptions,
  folder: StackFolder,
): Promise<Stack> {
  const { project = "test", name: stackName = "test", native = false, shareWith } = options;
  const { PULUMI_BACKEND_URL } = { ...folder.environment, ...shareWith?.stack.workspace.envVars };
  const workspace = {
    workDir: folder.path,
    envVars: { ...folder.environment, ...(PULUMI_BACKEND_URL && { PULUMI_BACKEND_URL }), ...options.env },
  };
  const plugin = native && nativePlugin;
  if (typeof program === "string") {
    const { settings, config, pulumiCommand } = await readProjectFolder(program, stackName);
    return LocalWorkspace.createStack(
      { stackName, workDir: folder.path },
      {
        ...workspace,
        pulumiCommand,
        projectSettings: { ...settings, ...plugin },
        stackSettings: { [stackName]: { config } },
      },
    );
  }
  return LocalWorkspace.createStack(
    { stackName, projectName: project, program },
    {
      ...workspace,
      projectSettings: { name: project, runtime: "nodejs", main: process.cwd(), ...plugin },
    },
  );
}

function configOf({ baseUrl, apiKey }: Sandbox, given: TestStackOptions["config"] = {}) {
  const config = {
    "cloudservices:baseUrl": baseUrl,
    "cloudservices:apiKey": { secret: apiKey },
    "cloudservices:pollInterval": "20",
    ...given,
  };
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => [
      key,
      typeof value === "string" ? { value } : { value: value.secret, secret: true },
    ]),
  );
}

function operationsOf(stack: Stack, sandbox: Sandbox): Omit<TestStack, "sandbox" | "stack" | "close"> {
  /** The last request before the last operation. */
  let before: string | undefined;

  async function operate<R extends { readonly stdout: string; readonly stderr: string }>(
    work: (common: { color: "never"; onEvent: (event: EngineEvent) => void }) => Promise<R>,
  ): Promise<{ result: R; outcome: TestOutcome }> {
    before = sandbox.journal({ limit: 1 })[0]?.requestId;
    const events: EngineEvent[] = [];
    const result = await work({ color: "never", onEvent: (event) => events.push(event) }).catch((error) => {
      throw withoutRepetition(error);
    });
    const { stdout, stderr } = result;
    return { result, outcome: { summary: summaryOf(events), stdout, stderr } };
  }

  /** Runs the program, or another one from now on. */
  const running = ({ program, ...rest }: TestOperation): Omit<TestOperation, "program"> => {
    if (program) stack.workspace.program = program;
    return rest;
  };

  return {
    up: async (options = {}) => {
      const given = running(options);
      const { result, outcome } = await operate((common) => stack.up({ ...common, ...given }));
      return { ...outcome, outputs: result.outputs };
    },
    preview: async (options = {}) => {
      const given = running(options);
      return (await operate((common) => stack.preview({ ...common, ...given }))).outcome;
    },
    refresh: async () => (await operate((common) => stack.refresh(common))).outcome,
    destroy: async () => (await operate((common) => stack.destroy(common))).outcome,
    outputs: () => stack.outputs(),
    state: () => readState(stack),
    requests: () => {
      const all = sandbox.journal();
      const since = all.findIndex(({ requestId }) => requestId === before) + 1;
      return all.slice(since).map(({ method, path }) => `${method} ${path}`);
    },
  };
}

/** The message of the Automation API's error has the engine's output twice. */
function withoutRepetition(error: unknown): unknown {
  if (error instanceof CommandError)
    error.message = error.message.replace(
      /^code: -?\d+\n stdout: \n stderr: ([\s\S]*)\n err\?: [\s\S]*$/,
      "$1",
    );
  return error;
}

/** Reads the state's file: the Automation API exports a state with its secrets in plain text. */
async function readState({ name, workspace }: Stack): Promise<string> {
  const { name: project } = await workspace.projectSettings();
  const backend = fileURLToPath(workspace.envVars["PULUMI_BACKEND_URL"] ?? "");
  return readFile(join(backend, ".pulumi", "stacks", project, `${name}.json`), "utf8");
}

async function startSandbox(options: SandboxOptions | undefined): Promise<Sandbox> {
  try {
    const { startSandbox: start } = await import("cloudservices-sandbox");
    return await start(options);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")) throw error;
    throw programError({
      code: "PROGRAM_INVALID",
      summary: "testStack needs the package cloudservices-sandbox",
      fixes: [{ line: "see docs/installing.md: install the packed sandbox as a development dependency" }],
    });
  }
}

const isMissingCommand = (error: unknown): boolean =>
  error instanceof Error && error.message.includes("spawn pulumi ENOENT");

const missingCommand = () =>
  programError({
    code: "PROGRAM_INVALID",
    summary: "testStack needs the command `pulumi`, which is not on the PATH",
    fixes: [{ line: "see docs/engine.md" }],
  });
