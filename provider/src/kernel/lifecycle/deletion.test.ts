import { ConflictError, WaitTimeoutError } from "cloudservices-sdk";
import { describe, expect, it } from "vitest";
import { createResource, deleteResource } from "../../test-support/operations.js";
import { errorOf, open, service } from "../../test-support/thing.js";
import type { Readiness } from "../definition/kind.js";

const conflict = () => new ConflictError({ message: "409, a snapshot is under way.", outcome: "rejected" });

/** A server that rejects this number of deletions, and is busy at the first poll of the first `busy` waits. */
async function refusing(conflicts: number, busy: number, wait?: Readiness<object>["wait"]) {
  const all = service();
  const waits: unknown[] = [];
  let isCreated = false;
  const { scope, checked } = open({
    ...all.kind,
    readiness: {
      phase: () => (isCreated && waits.length <= busy ? "pending" : "ready"),
      status: () => "snapshotting",
      reason: () => undefined,
      async wait(api, id, options) {
        waits.push(options.timeout);
        const resource = await all.kind.read(api, id);
        options.onPoll?.({ id, attempt: 1, elapsed: 0, status: "snapshotting", resource });
        await wait?.(api, id, {});
        return resource;
      },
    },
  });
  const { id, outputs } = await createResource(scope, checked({ customTimeouts: { delete: "3m" } }));
  isCreated = true;
  for (let sent = 0; sent < conflicts; sent++)
    all.faults.push({ on: "delete", when: "before", error: conflict });
  return { ...all, waits, deleted: deleteResource(scope, id, outputs) };
}

describe("a deletion that returns 409", () => {
  it("waits until the resource is no longer busy, within the delete timeout", async () => {
    const { deleted, waits, things } = await refusing(2, 2);
    await deleted;
    expect(things.size).toBe(0);
    expect(waits).toEqual([180_000, 180_000]);
  });

  it("is retried once when the resource is not busy, and then fails with the service's reason", async () => {
    const { deleted, things } = await refusing(1, 0);
    await deleted;
    expect(things.size).toBe(0);
    const kept = await refusing(9, 0);
    expect(await errorOf(kept.deleted)).toMatchObject({
      message: expect.stringMatching(/409, a snapshot is under way\. \[DELETE_FAILED\]/),
    });
    expect(kept.calls.filter((call) => call === "delete")).toHaveLength(2);
  });

  it("fails at its timeout, and says what it waited for", async () => {
    const { deleted, things } = await refusing(1, 1, async () => {
      throw new WaitTimeoutError({ message: "It is snapshotting after 3 minutes." });
    });
    expect(await errorOf(deleted)).toMatchObject({
      message: expect.stringMatching(
        /\[DELETE_BUSY\]\s+cause: 409, .*It is snapshotting after.*customTimeouts/s,
      ),
    });
    expect(things.size).toBe(1);
  });
});
