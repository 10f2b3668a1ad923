import type { KindName } from "./evidence/kinds.js";
import type { Fix, Offered, Printed } from "./evidence/phase.js";
import type { Live } from "./evidence/service.js";
import type { Declared, State } from "./evidence/stack.js";

/*
 * What a user takes from the messages: the ids and names that they name, and the lines that they offer.
 */

const ID = /\b(?:link|db|vps|inbox|msg|bk|webhook|wh|hook)_[A-Za-z0-9]+/g;

const isTold = ({ kind }: Printed): boolean =>
  kind === "diagnostic" || kind === "warning" || kind === "stderr";

export function offeredBy(printed: readonly Printed[]): Offered {
  const told = printed.filter(isTold);
  const text = told.map((each) => each.text).join("\n");
  return {
    ids: [...new Set(text.match(ID) ?? [])],
    names: [...new Set([...text.matchAll(/"([^"\n]+)"/g)].map(([, name]) => name ?? ""))],
    fixes: told.flatMap((each) => fixesIn(each)),
  };
}

/** In the order in which the message offers them. */
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
    ...(condition !== undefined && { ifGone: ID_IN(text) }),
  }));
  offer(/`(powerState): "(\w+)"`/, ([, input = "", value = ""]) => ({ do: "input", urn, input, value }));
  offer(/pulumi config set (cloudservices:\w+) (true|allow|abandon|http\S+)/, ([, key = "", value = ""]) => ({
    do: "config",
    key,
    value,
  }));
  offer(/(cloudservices:undeletable) to (abandon)/, ([, key = "", value = ""]) => ({
    do: "config",
    key,
    value,
  }));
  offer(/delete (\w+) at the service/i, ([, id = ""]) => ({
    do: "delete-at-service",
    id: id === "it" ? ID_IN(text) : id,
    urn,
  }));
  offer(/look at the service and, if it is not (running|stopped), do it there/, ([, to = ""]) => ({
    do: "switch-at-service",
    id: ID_IN(text),
    to,
  }));
  offer(/If it is (running|stopped) already, switch it back there/, ([, was]) => ({
    do: "switch-at-service",
    id: ID_IN(text),
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

/** The one that a message is about, and not the one that it says is another. */
const ID_IN = (text: string): string => text.replace(/\bother than \w+/g, "").match(ID)?.[0] ?? "";

/** A message without what differs from run to run. */
export const shapeOf = (text: string): string =>
  text
    .replace(ID, "<id>")
    .replace(/\breq_\w+/g, "<request>")
    .replace(/127\.0\.0\.1:\d+/g, "<address>")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replace(/"[^"]*"/g, '"…"')
    .replace(/\d+/g, "#")
    .slice(0, 400);

/** What a user finds who looks at the service for what a message is about: ours by its fields, and in no state. */
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
