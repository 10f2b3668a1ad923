import type { Rows } from "../../state/rows.js";
import type { Tables, Transaction } from "../../state/store.js";

/** Clicks of a link that are kept for its analytics; `clicks_count` counts on. */
const MAX_CLICKS = 10_000;

/** Stores a click, and drops the oldest of its link beyond those that are kept. */
export function storeClick(
  { clicks }: Pick<Tables, "clicks">,
  transaction: Transaction,
  click: Rows["clicks"],
  kept = MAX_CLICKS,
): void {
  transaction.put("clicks", click);
  while (clicks.countOf("link", click.link) > kept) {
    const oldest = clicks.some("link", click.link);
    if (!oldest) return;
    transaction.remove("clicks", oldest.id);
  }
}
