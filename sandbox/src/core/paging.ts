import { z } from "zod";
import type { Table } from "../state/table.js";
import { integerParameter } from "./fields.js";
import { idPattern, seqOf } from "./ids.js";
import type { Result } from "./operation.js";

/** Bounds and default of `limit` are assumed; the specification names the parameters and no more. */
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

/**
 * One page, oldest first. The cursor is an id, and the id knows its place, so that a listing goes on even where
 * the item it stopped at has been deleted meanwhile.
 */
export function page<R extends PageRow, Item>(
  table: Pick<Table<R>, "page" | "count">,
  tenant: string,
  query: z.output<ReturnType<typeof pageQuery>>,
  show: (row: R) => Item,
): Result<Item[]> {
  const after = query.starting_after === undefined ? 0 : seqOf(query.starting_after);
  const { rows, hasMore } = table.page(tenant, after, query.limit);
  return {
    data: rows.map(show),
    page: {
      has_more: hasMore,
      next_cursor: hasMore ? (rows.at(-1)?.id ?? null) : null,
      total_count: table.count(tenant),
    },
  };
}
