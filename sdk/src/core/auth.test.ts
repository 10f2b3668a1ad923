import { describe, expect, it } from "vitest";
import { errorOf } from "../../../test/support/failure.js";
import { FakeClock } from "../testing/fake-clock.js";
import { aRequest } from "../testing/requests.js";
import { withAuth } from "./auth.js";
import { AuthenticationError, TimeoutError } from "./errors.js";

const denied = () => new AuthenticationError({ message: "401", outcome: "rejected", status: 401 });

/** A service that accepts one key and records the keys that it receives. */
function service(accepted: string) {
  const given: (string | undefined)[] = [];
  return {
    given,
    step: async (request: { headers: Readonly<Record<string, string>> }) => {
      const key = request.headers["authorization"];
      given.push(key);
      if (key !== `Bearer ${accepted}`) throw denied();
      return "welcome";
    },
  };
}

describe("withAuth", () => {
  it("adds the key to every request as a bearer token", async () => {
    const { step, given } = service("k");
    await withAuth(step, "k", new FakeClock())(aRequest());
    expect(given).toEqual(["Bearer k"]);
  });

  it("calls the key function for each attempt", async () => {
    const keys = ["a", "b"];
    const { step, given } = service("x");
    const call = withAuth(step, () => keys.shift() ?? "b", new FakeClock());
    await errorOf(call(aRequest()), AuthenticationError);
    expect(given).toEqual(["Bearer a", "Bearer b"]);
  });

  it("retries once with a new key after a 401", async () => {
    let current = "old";
    const { step } = service("new");
    const call = withAuth(
      step,
      () => {
        const key = current;
        current = "new";
        return key;
      },
      new FakeClock(),
    );
    await expect(call(aRequest())).resolves.toBe("welcome");
  });

  it("does not retry a 401 when the key is unchanged", async () => {
    const { step, given } = service("other");
    await errorOf(withAuth(step, () => "k", new FakeClock())(aRequest()), AuthenticationError);
    expect(given).toHaveLength(1);
  });

  it("fails at the deadline when the key function never returns", async () => {
    const clock = new FakeClock();
    const call = withAuth(service("k").step, () => new Promise(() => {}), clock);
    const error = errorOf(call(aRequest({ deadline: 100, deadlineAt: 100 })), TimeoutError);
    await clock.advance(100);
    expect(await error).toMatchObject({ outcome: "notSent" });
  });
});
