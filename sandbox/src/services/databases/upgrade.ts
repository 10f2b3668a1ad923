import type { z } from "zod";
import { invalid } from "../../core/errors.js";
import type { Rows } from "../../state/rows.js";
import { planOf, versionsOf } from "./catalogue.js";
import type { updateBody } from "./schemas.js";

/** Rejects an impossible change. Assumed: storage cannot shrink and versions cannot go back. */
export function checkUpgrade(row: Rows["databases"], wanted: z.output<typeof updateBody>): void {
  if (wanted.enable_connection_pool && row.engine !== "postgresql") {
    throw invalid(`"enable_connection_pool" is available for postgresql only.`, "enable_connection_pool");
  }
  if (wanted.version !== undefined) {
    const versions = versionsOf(row.engine);
    if (!versions.includes(wanted.version)) {
      throw invalid(`"version" is invalid: ${row.engine} is available in ${versions.join(", ")}.`, "version");
    }
    if (versions.indexOf(wanted.version) < versions.indexOf(row.version)) {
      throw invalid(`"version" cannot be downgraded from ${row.version} to ${wanted.version}.`, "version");
    }
  }
  if (wanted.plan !== undefined) {
    const [from, to] = [planOf(row.plan)?.storageGb ?? 0, planOf(wanted.plan)?.storageGb ?? 0];
    if (to < from) throw invalid(`"plan" cannot reduce storage from ${from} GB to ${to} GB.`, "plan");
  }
}
