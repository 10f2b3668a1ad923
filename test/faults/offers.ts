import type { KindName } from "./evidence/kinds.js";
import type { Fix, Offered, Printed } from "./evidence/phase.js";
import type { Live } from "./evidence/service.js";
import type { Declared, State } from "./evidence/stack.js";

/*
 * Parses messages as a user reads them: the ids and names that they mention, and the lines that they offer to type.
 */

const ID = /\b(?:link|db|vps|inbox|msg|bk|webhook|wh|hook)_[A-Za-z0-9]+/g;

const isError = ({ kind }: Printed): boolean =>
  kind === "diagnostic" || kind === "warning" || kind === "stderr";

export function offeredBy(printed: readonly Printed[]): Offered {
  const errors = printed.filter(isError);
  const text = errors.map((each) => each.text).join("\n");
  return {
    ids: [...new Set(text.match(ID) ?? [])],
    names: [...new Set([...text.matchAll(/"([^"\n]+)"/g)].map(([, name]) => name ?? ""))],
    fixes: errors.flatMap((each) => fixesIn(each)),
  };
}

/** Returns the fixes in the order of the message. */
function fixesIn({ urn = "", text }: Printed): Fix[] {
  const found: { at: number; fix: Fix }[] = [];
  const offer = (pattern: RegExp, make: (match: RegExpExecArray) => Fix) => {
    const match = pattern.exec(text);
    if (match) found.push({ at: match.index, fix: make(match) });
  };
  offer(/adopt: \\?"([^"\\]+)\\?"/, ([, id = ""]) => ({ do: "adopt", urn, id }));
  offer(/(if it is deleted: )?remove `adopt` from the program/, ([, condition]) => ({
    do: "unadopt",
    urn,
    ...(condition !== undefined && { ifGone: subjectIn(text) }),
  }));
  offer(/`(\w+): ("[^"`]*"|\d+)`(?: in the program|, and)/, ([, input = "", value = ""]) => ({
    do: "input",
    urn,
    input,
    value: JSON.parse(value),
  }));
  offer(/pulumi config set (cloudservices:\w+) (true|allow|abandon|http\S+)/, ([, key = "", value = ""]) => ({
    do: "config",
    key,
    value,
  }));
  offer(/delete (\w+) at the service/i, ([, id = ""]) => ({
    do: "delete-at-service",
    id: id === "it" ? subjectIn(text) : id,
    urn,
  }));
  offer(/at the service and, if it is not (running|stopped), switch it there/, ([, to = ""]) => ({
    do: "switch-at-service",
    id: subjectIn(text),
    to,
  }));
  offer(/If it is already (running|stopped), switch it back there/, ([, was]) => ({
    do: "switch-at-service",
    id: subjectIn(text),
    to: was === "running" ? "stopped" : "running",
  }));
  offer(/`deleteBeforeReplace: true`/, () => ({ do: "option", urn, option: "deleteBeforeReplace" }));
  offer(/pulumi state delete( --target-dependents)?(?: '([^']+)')?/, ([, all, named]) => ({
    do: "state-delete",
    urn: named ?? urn,
    ...(all !== undefined && { withDependents: true }),
  }));
  offer(/pulumi up --replace '([^']+)'/, ([, replaced = ""]) => ({ do: "replace", urn: replaced }));
  offer(/--run-program/, () => ({ do: "refresh-run-program" }));
  offer(/: (pulumi refresh, then )?pulumi up$|then pulumi up|run `pulumi up`|the next `pulumi up`/m, () => ({
    do: "up-again",
  }));
  return found.sort((a, b) => a.at - b.at).map(({ fix }) => fix);
}

/** Returns the id that a message is about, not the one that it excludes. */
const subjectIn = (text: string): string => text.replace(/\bother than \w+/g, "").match(ID)?.[0] ?? "";

/** Returns a message without the parts that differ from run to run. */
export const shapeOf = (text: string): string =>
  text
    .replace(ID, "<id>")
    .replace(/\breq_\w+/g, "<request>")
    .replace(/127\.0\.0\.1:\d+/g, "<address>")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replace(/"[^"]*"/g, '"…"')
    .replace(/\d+/g, "#")
    .slice(0, 400);

/** Finds a resource of ours at the service by its fields, if the state does not contain it. */
export function lookedUp(
  { kind, inputs }: Declared,
  live: readonly Live[],
  state: State,
  isForeign: (id: string) => boolean,
): string | undefined {
  const known = new Set(state.resources.map(({ id }) => id));
  return live.find(
    (each) => each.kind === kind && !known.has(each.id) && !isForeign(each.id) && fits(kind, inputs, each),
  )?.id;
}

function fits(kind: KindName, inputs: Declared["inputs"], { fields }: Live): boolean {
  if (kind === "Link") return fields["destination_url"] === inputs["url"];
  if (kind === "Webhook") return fields["url"] === inputs["url"];
  return true;
}
