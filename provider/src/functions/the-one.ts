import { didYouMean } from "../kernel/diagnostics/did-you-mean.js";
import { ResourceError } from "../kernel/diagnostics/errors.js";

/** What to look for in a list. */
interface Wanted<T> {
  /** What the items are called in messages. */
  readonly noun: string;
  /** The argument that names the item. */
  readonly by: "name" | "slug";
  readonly wanted: string;
  /** Where, as messages say it. */
  readonly within?: string;
  nameOf(item: T): string | undefined;
  idOf(item: T): string;
  /** Returns whether the item may be the wanted one at all. */
  isEligible?(item: T): boolean;
  /** What to add to the arguments where several items match. */
  readonly hint?: string | undefined;
}

/** The most ids in a message. */
const MOST_IDS = 5;

/**
 * Returns the only item of a list with the name. It reads the whole list, because a second one may be on any page.
 *
 * @throws ResourceError when no item or more than one has the name.
 */
export async function theOne<T>(list: AsyncIterable<T>, how: Wanted<T>): Promise<T> {
  const { noun, by, wanted, within = "", hint } = how;
  const found: T[] = [];
  const names = new Set<string>();
  for await (const item of list) {
    if (how.isEligible && !how.isEligible(item)) continue;
    const name = how.nameOf(item);
    if (name === wanted) found.push(item);
    else if (name !== undefined) names.add(name);
  }
  const [only, second] = found;
  if (only === undefined) {
    const near = didYouMean(wanted, [...names]);
    throw new ResourceError({
      code: "LOOKUP_NOT_FOUND",
      summary: `the account has no ${noun} with the ${by} ${JSON.stringify(wanted)}${within}`,
      fixes: near ? [{ when: "if it is misspelt", line: `${by}: ${JSON.stringify(near)}` }] : [],
    });
  }
  if (second === undefined) return only;
  const ids = found.slice(0, MOST_IDS).map((item) => how.idOf(item));
  throw new ResourceError({
    code: "LOOKUP_AMBIGUOUS",
    summary: `${found.length} ${noun}s have the ${by} ${JSON.stringify(wanted)}${within}`,
    cause: `their ids: ${ids.join(", ")}${found.length > ids.length ? ", …" : ""}.`,
    fixes: hint
      ? [{ line: hint }]
      : [
          {
            when: "to read one of them",
            line: `the class's method \`get\` with its id, such as "${ids[0]}"`,
          },
        ],
  });
}
