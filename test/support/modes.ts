import type { JournalEntry, Sandbox } from "cloudservices-sandbox";
import { expect } from "vitest";
import type { Config, Service } from "./config.js";
import { beyondSpecification } from "./specification.js";

/** The two API modes, each with a sandbox that offers only the routes that it needs. */
export const modes = [
  { api: "conventional", service: {}, mode: {} },
  { api: "documented", service: { profile: "documented" }, mode: { "cloudservices:api": "documented" } },
] as const satisfies readonly { api: string; service: object; mode: Config }[];

interface Watched {
  readonly baseUrl: string;
  /** All requests, including those that a test has cleared from the journal. */
  all(): readonly JournalEntry[];
}

const watched: Watched[] = [];
const documented = new Set<string>();

/** Keeps the requests that a test clears from a sandbox's journal. */
export function watch(sandbox: Sandbox): void {
  const cleared: JournalEntry[] = [];
  const clear = sandbox.clearJournal.bind(sandbox);
  sandbox.clearJournal = (...which) => {
    cleared.push(...sandbox.journal());
    clear(...which);
  };
  watched.push({ baseUrl: sandbox.baseUrl, all: () => [...cleared, ...sandbox.journal()] });
}

/** Records which services a stack uses in the mode `documented`. */
export function noteMode(service: Service | undefined, config: Config | undefined): void {
  if (service && config?.["cloudservices:api"] === "documented") documented.add(service.baseUrl);
}

/** Requires, after every test, that stacks in the mode `documented` sent only documented requests. */
export function expectSpecificationKept(): void {
  for (const { baseUrl, all } of watched.splice(0)) {
    if (documented.has(baseUrl)) expect(beyondSpecification(all()), "in the mode documented").toEqual([]);
  }
}
