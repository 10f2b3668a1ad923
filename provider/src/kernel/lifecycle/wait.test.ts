import { expect, it } from "vitest";
import { createResource, updateResource } from "../../test-support/operations.js";
import { errorOf, type Inputs, open, type Remote, service } from "../../test-support/thing.js";
import type { Kind } from "../definition/kind.js";
import { PartialFailure } from "../diagnostics/errors.js";

/** A kind of resources that are not ready within any timeout. */
const pending = (kind: Kind<Inputs, Remote>): Kind<Inputs, Remote> => ({
  ...kind,
  readiness: {
    phase: () => "pending",
    status: () => "provisioning",
    reason: () => undefined,
    wait: async () => {
      throw new Error("it is not ready after 1 s.");
    },
  },
});

it("advises to raise the timeouts that limit the next wait for a pending resource", async () => {
  const { scope, checked } = open(pending(service().kind));
  const inputs = checked({ colour: "red" });
  const created = await errorOf(createResource(scope, inputs));
  if (!(created instanceof PartialFailure)) throw created;
  // The next run continues with an update; a resource that is created anew has the timeout of a creation.
  expect(created.message).toMatch(
    /\[NOT_READY\].*if it needs more time: \{ customTimeouts: \{ create: "1h", update: "1h" \} \}/s,
  );
  const continued = await errorOf(updateResource(scope, created.resourceId, { ...created.outputs }, inputs));
  expect(continued).toMatchObject({
    message: expect.stringMatching(
      /\[NOT_READY\].*if it needs more time: \{ customTimeouts: \{ update: "1h" \} \}/s,
    ),
  });
});
