import { type ChildProcess, execFile, spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cli = fileURLToPath(new URL("../bin/cloudservices-sandbox.mjs", import.meta.url));

/** Compiles the command, which is tested as published. Does nothing if it is up to date. */
export async function buildCommand(): Promise<void> {
  await promisify(execFile)(process.execPath, ["node_modules/typescript/bin/tsc", "-b", "sandbox/web"], {
    cwd: root,
  });
}

export interface Running {
  readonly process: ChildProcess;
  readonly baseUrl: string;
  /** 0 without SMTP. */
  readonly smtpPort: number;
  readonly output: string;
  readonly exited: Promise<number | null>;
}

export interface Starting {
  readonly process: ChildProcess;
  /** Rejects if the command ends before it is ready. */
  readonly ready: Promise<Running>;
  readonly exited: Promise<number | null>;
}

/** Starts the command without waiting. */
export function launchCommand(...flags: string[]): Starting {
  return launchWith({}, ...flags);
}

/** Starts the command with Node flags and environment variables. */
export function launchWith(
  { nodeFlags = [], env = {} }: { nodeFlags?: readonly string[]; env?: Readonly<Record<string, string>> },
  ...flags: string[]
): Starting {
  const child = spawn(process.execPath, [...nodeFlags, cli, ...flags], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  let output = "";
  const ready = new Promise<Running>((resolve, reject) => {
    const read = (part: Buffer) => {
      output += part.toString();
      const baseUrl = /base URL\s+(\S+)/.exec(output)?.[1];
      if (baseUrl !== undefined && output.includes("curl"))
        resolve({
          process: child,
          baseUrl,
          smtpPort: Number(/smtp:\S+:(\d+)/.exec(output)?.[1] ?? 0),
          output,
          exited,
        });
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", () => reject(new Error(`the command ended: ${output}`)));
  });
  return { process: child, ready, exited };
}

/** Starts the command and waits until it is ready. */
export async function startCommand(...flags: string[]): Promise<Running> {
  return launchCommand(...flags).ready;
}

/** Kills a sandbox while it starts, when it repairs earlier damage. Returns whether it was still starting. */
export async function killStarting(flags: readonly string[], afterMs: number): Promise<boolean> {
  const { process: child, ready, exited } = launchCommand(...flags);
  const inTime = ready.then(
    () => false,
    () => true,
  );
  await delay(afterMs);
  child.kill("SIGKILL");
  await exited;
  return inTime;
}

/** Runs the command to its end. */
export async function runCommand(
  ...flags: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [cli, ...flags], (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
    });
  });
}
