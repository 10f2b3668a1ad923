import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { JournalEntry, LiveResource, SandboxControl } from "cloudservices-sandbox";
import type { ApiMode } from "../evidence/kinds.js";
import type { DrivenSandbox } from "../service/service.js";

const root = process.env["CAMPAIGN_ROOT"] ?? fileURLToPath(new URL("../../../", import.meta.url));

/** How long the service is down after a kill, in milliseconds. */
const AWAY_MS = 300;

/**
 * A sandbox in its own process. It keeps its data in a folder, and restarts with them at the same address. Its getters
 * return what the last `look` read.
 */
export class SandboxProcess implements DrivenSandbox {
  readonly baseUrl: string;
  readonly #flags: readonly string[];
  #process: ChildProcess;
  #resources: LiveResource[] = [];
  #journal: JournalEntry[] = [];
  #back: Promise<void> = Promise.resolve();

  private constructor(baseUrl: string, flags: readonly string[], started: ChildProcess) {
    this.baseUrl = baseUrl;
    this.#flags = flags;
    this.#process = started;
  }

  static async open(mode: ApiMode, data: string): Promise<SandboxProcess> {
    const flags = ["--data", data, "--profile", mode, "--postgres", "simulated", "--smtp-port", "0"];
    // The mode `documented` cannot poll, so resources are ready at once.
    flags.push("--provisioning-ms", mode === "documented" ? "0" : "20");
    const { child, baseUrl } = await start([...flags, "--port", "0"]);
    return new SandboxProcess(baseUrl, [...flags, "--port", new URL(baseUrl).port], child);
  }

  readonly faults = {
    add: (): string => {
      throw new Error("a sandbox that is to be killed takes no faults of its own");
    },
  };

  progress(): void {
    // The start has set this already.
  }

  resources(): LiveResource[] {
    return this.#resources;
  }

  journal(): JournalEntry[] {
    return this.#journal;
  }

  clearJournal(): void {
    this.#journal = [];
  }

  async seed(...[seeds]: Parameters<SandboxControl["seed"]>): ReturnType<SandboxControl["seed"]> {
    const made = await this.#ask("POST", "seed", seeds);
    await this.look();
    return made;
  }

  async change(...[id, fields]: Parameters<SandboxControl["change"]>): Promise<void> {
    await this.#ask("PATCH", `resources/${id}`, fields);
    await this.look();
  }

  async remove(id: string): Promise<void> {
    await this.#ask("DELETE", `resources/${id}`);
    await this.look();
  }

  /** Reads the current resources and journal. A kill loses the journal. */
  async look(): Promise<void> {
    await this.#back;
    this.#resources = await this.#ask("GET", "resources");
    this.#journal = await this.#ask("GET", "journal");
  }

  /** Kills with `kill -9`, and restarts after a moment. */
  kill(): void {
    this.#process.kill("SIGKILL");
    this.#back = this.#return();
  }

  async close(): Promise<void> {
    await this.#back;
    this.#process.kill("SIGKILL");
  }

  async #return(): Promise<void> {
    await delay(AWAY_MS);
    this.#process = (await start(this.#flags)).child;
  }

  async #ask(method: string, path: string, body?: unknown) {
    const url = new URL(`/_sandbox/${path}`, this.baseUrl);
    const response = await fetch(url, {
      method,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      }),
    });
    if (!response.ok) throw new Error(`${method} ${url.href}: ${await response.text()}`);
    return JSON.parse(await response.text());
  }
}

async function start(flags: readonly string[]): Promise<{ child: ChildProcess; baseUrl: string }> {
  const child = spawn(process.execPath, [`${root}/sandbox/bin/cloudservices-sandbox.mjs`, ...flags], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const end = () => child.kill("SIGKILL");
  process.once("exit", end);
  child.once("exit", () => process.off("exit", end));
  let output = "";
  return new Promise((resolve, reject) => {
    const read = (part: Buffer) => {
      output += part.toString();
      const baseUrl = /base URL\s+(\S+)/.exec(output)?.[1];
      if (baseUrl !== undefined && output.includes("curl")) resolve({ child, baseUrl });
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", () => reject(new Error(`the sandbox ended: ${output}`)));
  });
}
