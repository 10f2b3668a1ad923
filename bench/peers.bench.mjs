// Links of this provider, of a dynamic provider as a tutorial writes one, and of OpenTofu with a generic REST provider.
// What the others leave out shows in `peers-faults`.
import { measureLife, mediansOf, OPERATIONS, round } from "./life.mjs";
import { findPeers, versions } from "./peers.mjs";

const RESOURCES = Number(process.env["PEERS_RESOURCES"] ?? 100);
const ROUNDS = Number(process.env["PEERS_ROUNDS"] ?? 5);
/** Milliseconds that the sandbox waits before each response, as a network would. */
const LATENCY = Number(process.env["PEERS_LATENCY"] ?? 0);

const settings = "PEERS_RESOURCES, PEERS_LATENCY, PEERS_ROUNDS";
export const title = `peers: ${RESOURCES} links, ${LATENCY} ms a request, medians of ${ROUNDS} (${settings}). ${versions}`;

/** @returns {Promise<Record<string, string | number>[]>} one row an operation and contestant */
export async function run() {
  const { tutorial, openTofu, withoutRefresh, ours, problem } = await findPeers(RESOURCES);
  const live = (open) => async () => {
    const subject = await open();
    if (LATENCY > 0) subject.sandbox.faults.add({ kind: "slow", ms: LATENCY, when: "before" });
    return measureLife(subject);
  };
  const contestants = {
    tutorial: live(tutorial),
    ...(openTofu && { OpenTofu: live(openTofu), "OpenTofu -refresh=false": live(withoutRefresh) }),
    ours: live(ours),
  };
  const median = await mediansOf(contestants, ROUNDS);
  const rowOf = (operation, contestant) => {
    const of = (what) => median(contestant, operation, what);
    const ratio = (what) =>
      contestant === "ours" ? "" : round(median("ours", operation, what) / of(what), 2);
    return {
      operation,
      contestant,
      seconds: round(of("seconds"), 1),
      "ours / it": ratio("seconds"),
      "CPU seconds": round(of("cpu"), 1),
      "CPU, ours / it": ratio("cpu"),
      requests: of("requests"),
      "state kB": operation === "create" ? round(of("kilobytes"), 0) : "",
    };
  };
  return [
    ...OPERATIONS.flatMap((operation) => Object.keys(contestants).map((name) => rowOf(operation, name))),
    ...(problem ? [{ operation: "none", contestant: `OpenTofu was not built: ${problem}` }] : []),
  ];
}
