import { z } from "zod";
import type { Table } from "../state/table.js";
import { integerParameter } from "./fields.js";
import { idPattern, seqOf } from "./ids.js";
import type { Result } from "./operation.js";

/** The bounds and default of `limit` are assumed; the specification only names the parameters. */
export function pageQuery(prefix: string) {
  return z.strictObject({
    limit: integerParameter(1, 100, 20),
    starting_after: z
      .string()
      .regex(idPattern(prefix), "expected the id of such a resource")
      .optional()
      .meta({ description: "The id of the last item seen." }),
  });
}

interface PageRow {
  readonly id: string;
  readonly tenant: string;
  readonly seq: number;
}

interface ListCall {
  readonly tenant: string;
  readonly query: z.output<ReturnType<typeof pageQuery>>;
  readonly context: { readonly summaryLists: boolean };
}

/**
 * Returns one page, oldest first. The cursor is an id that encodes its position, so paging continues even if that
 * item is deleted.
 */
export function page<R extends PageRow, Item, Summary>(
  { tenant, query, context }: ListCall,
  table: Pick<Table<R>, "page" | "count">,
  show: (row: R) => Item,
  summarize: (item: Item) => Summary,
): Result<Array<Item | Summary>> {
  const after = query.starting_after === undefined ? 0 : seqOf(query.starting_after);
  const { rows, hasMore } = table.page(tenant, after, query.limit);
  const items = rows.map(show);
  return {
    data: context.summaryLists ? items.map(summarize) : items,
    page: {
      has_more: hasMore,
      next_cursor: hasMore ? (rows.at(-1)?.id ?? null) : null,
      total_count: table.count(tenant),
    },
  };
}
