import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { z } from "zod";
import { type KindName, kindOfType } from "../kind-of-type.js";
import { CommandError } from "./command-error.js";

const runFile = promisify(execFile);

/** The largest output of one command: the state of a large stack. */
const MOST_OUTPUT = 512 * 1024 * 1024;

const failed = z.looseObject({
  code: z.union([z.string(), z.number()]).optional(),
  stderr: z.string().optional(),
});

/** Runs the engine's command in a project's folder, and returns what it prints. */
export async function pulumi(folder: string, ...args: readonly string[]): Promise<string> {
  try {
    const { stdout } = await runFile("pulumi", ["--non-interactive", "--color", "never", ...args], {
      cwd: folder,
      maxBuffer: MOST_OUTPUT,
      env: { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "1" },
    });
    return stdout;
  } catch (error) {
    const { code, stderr = "" } = failed.catch({}).parse(error);
    if (code === "ENOENT") {
      throw new CommandError("the command `pulumi` is not installed or not on the PATH", [
        "see https://www.pulumi.com/docs/install",
      ]);
    }
    throw new CommandError(`pulumi ${args[0]}: ${reasonIn(stderr)}`);
  }
}

/** Returns the line with which the engine explains a failure. Warnings can precede it. */
export function reasonIn(stderr: string): string {
  const lines = stderr.split("\n").filter((text) => text.trim() !== "");
  const line = lines.find((text) => /^\s*error:/.test(text)) ?? lines[0] ?? "it failed";
  return line.trim().replace(/^error: */, "");
}

function parsed<T>(schema: z.ZodType<T>, text: string, what: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new CommandError(`pulumi ${what}: the output is not JSON`);
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new CommandError(`pulumi ${what}: the output has an unknown form`);
}

const stackList = z.array(z.looseObject({ name: z.string(), current: z.boolean().optional() }));
const configuration = z.record(
  z.string(),
  z.looseObject({ value: z.string().optional(), secret: z.boolean().optional() }),
);
const stateFile = z.looseObject({
  deployment: z.looseObject({
    resources: z
      .array(
        z.looseObject({
          type: z.string(),
          id: z.string().optional(),
          urn: z.string(),
          outputs: z.record(z.string(), z.unknown()).optional(),
        }),
      )
      .optional(),
    pending_operations: z.array(z.unknown()).optional(),
  }),
});

/** One resource in a state. */
export type StoredResource = NonNullable<z.infer<typeof stateFile>["deployment"]["resources"]>[number];

/** The part of a stack's state that commands read. */
export interface StackState {
  readonly resources: readonly StoredResource[];
  /** The number of operations that an interrupted run has not finished. */
  readonly pending: number;
}

/** Returns the names of the project's stacks, and which of them is selected. */
export async function stacksOf(folder: string): Promise<{ names: string[]; current: string | undefined }> {
  const stacks = parsed(stackList, await pulumi(folder, "stack", "ls", "--json"), "stack ls");
  return { names: stacks.map(({ name }) => name), current: stacks.find(({ current }) => current)?.name };
}

/** One setting of a stack. */
export interface Setting {
  readonly value?: string | undefined;
  /** It is stored encrypted. */
  readonly secret?: boolean | undefined;
}

/** Returns the configuration of a stack with its secrets, by full name. */
export async function configOf(folder: string, stack: string): Promise<Readonly<Record<string, Setting>>> {
  const text = await pulumi(folder, "config", "--json", "--show-secrets", "--stack", stack);
  return parsed(configuration, text, "config");
}

/** Returns the state of a stack. */
export async function stateOf(folder: string, stack: string): Promise<StackState> {
  const text = await pulumi(folder, "stack", "export", "--stack", stack);
  const { deployment } = parsed(stateFile, text, "stack export");
  return { resources: deployment.resources ?? [], pending: deployment.pending_operations?.length ?? 0 };
}

/** Returns the kind of a resource of this package, in either form. */
export const kindOf = ({ type }: Pick<StoredResource, "type">): KindName | undefined => kindOfType(type);
