import type { CloudServices } from "cloudservices-sdk";
import { readSettings } from "../kernel/settings/read-settings.js";
import type { Settings } from "../kernel/settings/settings.js";
import { clientOf } from "../kernel/stack/client.js";
import { CommandError } from "./command-error.js";
import { configOf, kindOf, stacksOf, stateOf } from "./engine.js";

/** A project's stack with its settings. */
export interface ProjectStack {
  readonly name: string;
  readonly settings: Settings;
  readonly api: CloudServices;
  /** All stacks of the project. */
  readonly stacks: readonly string[];
}

/** Opens a stack of the project in a folder. Default: the selected one. */
export async function openStack(folder: string, wanted: string | undefined): Promise<ProjectStack> {
  const { names, current } = await stacksOf(folder);
  const name = wanted ?? current;
  if (name === undefined) {
    throw new CommandError("no stack is selected", ["pulumi stack select <name>", "--stack <name>"]);
  }
  const config = await configOf(folder, name);
  const settings = readSettings((key) => config[key]?.value, process.env);
  return { name, settings, api: clientOf(settings), stacks: names };
}

/** Returns what the states of these stacks have, as `Kind id`. */
export async function managedIn(folder: string, stacks: readonly string[]): Promise<ReadonlySet<string>> {
  const managed = new Set<string>();
  for (const stack of stacks) {
    for (const resource of (await stateOf(folder, stack)).resources) {
      const kind = kindOf(resource);
      if (kind !== undefined && resource.id !== undefined) managed.add(`${kind} ${resource.id}`);
    }
  }
  return managed;
}
