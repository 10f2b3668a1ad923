import type { JournalEntry, Sandbox } from "cloudservices-sandbox";
import { expect } from "vitest";
import type { Config, Service } from "./config.js";
import { beyondSpecification } from "./specification.js";

/** The two ways of speaking to the service, each with a sandbox that offers no more than it needs. */
export const modes = [
  { api: "conventional", service: {}, mode: {} },
  { api: "documented", service: { profile: "documented" }, mode: { "cloudservices:api": "documented" } },
] as const satisfies readonly { api: string; service: object; mode: Config }[];

interface Watched {
  readonly baseUrl: string;
  /** All that was asked, also what a test has cleared from the journal. */
  all(): readonly JournalEntry[];
}

const watched: Watched[] = [];
const documented = new Set<string>();

/** Keeps what a test clears from a sandbox's journal. */
export function watch(sandbox: Sandbox): void {
  const cleared: JournalEntry[] = [];
  const clear = sandbox.clearJournal.bind(sandbox);
  sandbox.clearJournal = (...which) => {
    cleared.push(...sandbox.journal());
    clear(...which);
  };
  watched.push({ baseUrl: sandbox.baseUrl, all: () => [...cleared, ...sandbox.journal()] });
}

/** Notes which services a stack speaks to in the mode `documented`. */
export function noteMode(service: Service | undefined, config: Config | undefined): void {
  if (service && config?.["cloudservices:api"] === "documented") documented.add(service.baseUrl);
}

/** After every test: in the mode `documented`, nothing was asked that the specification does not show. */
export function expectSpecificationKept(): void {
  for (const { baseUrl, all } of watched.splice(0)) {
    if (documented.has(baseUrl)) expect(beyondSpecification(all()), "in the mode documented").toEqual([]);
  }
}
