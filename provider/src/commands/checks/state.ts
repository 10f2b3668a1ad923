import { z } from "zod";
import { STATE_KEY } from "../../kernel/definition/properties.js";
import type { Settings } from "../../kernel/settings/settings.js";
import { fingerprint } from "../../kernel/state/fingerprint.js";
import { VERSION } from "../../kernel/state/resource-state.js";
import { lineIn } from "../../kernel/state/state-text.js";
import { kindOf, type StackState } from "../engine.js";
import type { Check } from "./check.js";

const memory = z.looseObject({ version: z.number(), baseUrl: z.string(), key: z.string() });

/** Reads what the kernel remembers of a resource. It is encrypted where it contains a secret. */
const memoryIn = (stored: unknown): z.infer<typeof memory> | undefined =>
  memory.safeParse(lineIn(stored)?.state ?? stored).data;

/** Checks that this version, this service and this key fit the state. */
export function stateChecks({ resources, pending }: StackState, settings: Settings | undefined): Check[] {
  const name = "state";
  const ours = resources.filter((resource) => kindOf(resource) !== undefined);
  const known = ours.flatMap(({ outputs }) => memoryIn(outputs?.[STATE_KEY]) ?? []);
  const count = (isSo: (one: z.infer<typeof memory>) => boolean) => known.filter(isSo).length;
  const newer = count(({ version }) => version > VERSION);
  const checks: Check[] = [];
  const add = (status: Check["status"], number: number, fact: string, fix: string) => {
    if (number > 0) checks.push({ name, status, fact: `${number} ${fact}`, fix });
  };
  add("failed", newer, "resources were changed by a newer pulumi-cloudservices", "install that version");
  add(
    "warning",
    pending,
    "operations of an interrupted run are pending",
    "pulumi cancel, then pulumi refresh --clear-pending-creates",
  );
  if (settings) {
    const { baseUrl, formerBaseUrls } = settings;
    const elsewhere = known.filter((one) => one.baseUrl !== baseUrl && !formerBaseUrls.includes(one.baseUrl));
    const [first] = elsewhere;
    add(
      "failed",
      elsewhere.length,
      `resources belong to ${first?.baseUrl}`,
      `set the right baseUrl or, if the service moved: pulumi config set cloudservices:formerBaseUrls ${first?.baseUrl}`,
    );
    add(
      "warning",
      count(({ key }) => key !== fingerprint(settings)),
      "resources were last seen with another API key",
      "if the key was rotated within the account: pulumi up",
    );
  }
  if (checks.length > 0) return checks;
  if (known.length === ours.length)
    return [{ name, status: "ok", fact: `${ours.length} resources, format ${VERSION}` }];
  const readable = `${known.length} of ${ours.length} resources readable`;
  return known.length === 0
    ? [{ name, status: "skipped", fact: `${readable}: what is remembered of them is encrypted` }]
    : [{ name, status: "ok", fact: `${readable} (the others are encrypted), format ${VERSION}` }];
}
