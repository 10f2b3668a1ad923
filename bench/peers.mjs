import { ensureEngine } from "../tools/engine/ensure.mjs";
import { SharedGo } from "../tools/engine/shared-go.mjs";
import { ensureOpenTofu, provider, version } from "../tools/opentofu/ensure.mjs";
import { ours, tutorial } from "./contestants.mjs";
import { openPulumi } from "./life.mjs";
import { openTofuFolder } from "./opentofu.mjs";

export const versions = `OpenTofu ${version} with ${provider.source} ${provider.version}`;

/** @typedef {() => Promise<import("./life.mjs").Subject>} Open */

/**
 * Returns how to open each contestant. On a machine that cannot build OpenTofu it is missing, and `problem` says why.
 *
 * @param {number} count of links
 * @returns {Promise<{ tutorial: Open, openTofu?: Open, withoutRefresh?: Open, ours: Open, problem?: string }>}
 */
export async function findPeers(count) {
  const { folder: engineFolder } = await ensureEngine({ log: (line) => console.error(`engine: ${line}`) });
  return {
    tutorial: () => openPulumi({ engineFolder, ...tutorial(count) }),
    ...(await findOpenTofu(count)),
    ours: () => openPulumi({ engineFolder, ...ours(count) }),
  };
}

async function findOpenTofu(count) {
  const log = (line) => console.error(`OpenTofu: ${line}`);
  const go = new SharedGo({ env: process.env, log });
  try {
    const openTofu = await ensureOpenTofu({ go, log });
    return {
      openTofu: () => openTofuFolder({ openTofu, count }),
      withoutRefresh: () => openTofuFolder({ openTofu, count, refresh: false }),
    };
  } catch (error) {
    return { problem: error.message };
  } finally {
    go.close();
  }
}
