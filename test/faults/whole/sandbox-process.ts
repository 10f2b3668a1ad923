import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { JournalEntry, LiveResource, SandboxControl } from "cloudservices-sandbox";
import type { ApiMode } from "../evidence/kinds.js";
import type { Driven } from "../service/service.js";

const root = process.env["CAMPAIGN_ROOT"] ?? fileURLToPath(new URL("../../../", import.meta.url));

/** How long the service stays away when it was killed. */
const AWAY_MS = 300;

/**
 * A sandbox in a process of its own, which keeps its data in a folder and comes back with it at the same address. What
 * it shows is as of the last `look`.
 */
export class SandboxProcess implements Driven {
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
    // Where nothing can be waited for, what is made is there at once.
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
    // It was started as the mode wants it.
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

  /** Sees what is there now; what was asked before it was killed is in no journal any more. */
  async look(): Promise<void> {
    await this.#back;
    this.#resources = await this.#ask("GET", "resources");
    this.#journal = await this.#ask("GET", "journal");
  }

  /** `kill -9`; it is back after a moment. */
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
