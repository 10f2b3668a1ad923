import type { Rows } from "../../state/rows.js";
import type { Tables, Transaction } from "../../state/store.js";

/** How many clicks of a link are stored for analytics; `clicks_count` has no limit. */
const MAX_CLICKS = 10_000;

/** Stores a click and deletes the oldest ones beyond the limit. */
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
