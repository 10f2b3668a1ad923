import { describe, expect, it } from "vitest";
import { errorOf } from "../../../test/support/failure.js";
import { FakeClock } from "../testing/fake-clock.js";
import { aRequest } from "../testing/requests.js";
import { withAuth } from "./auth.js";
import { AuthenticationError, TimeoutError } from "./errors.js";

const denied = () => new AuthenticationError({ message: "401", outcome: "rejected", status: 401 });

/** A service that knows one key, and tells which it was given. */
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

describe("the key", () => {
  it("goes with every request as a bearer", async () => {
    const { step, given } = service("k");
    await withAuth(step, "k", new FakeClock())(aRequest());
    expect(given).toEqual(["Bearer k"]);
  });

  it("from a function is asked for each attempt, so that it can rotate", async () => {
    const keys = ["a", "b"];
    const { step, given } = service("x");
    const call = withAuth(step, () => keys.shift() ?? "b", new FakeClock());
    await errorOf(call(aRequest()), AuthenticationError);
    expect(given).toEqual(["Bearer a", "Bearer b"]);
  });

  it("that was rotated while the request was under way is asked for once more", async () => {
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

  it("that is refused and still the same is not tried again", async () => {
    const { step, given } = service("other");
    await errorOf(withAuth(step, () => "k", new FakeClock())(aRequest()), AuthenticationError);
    expect(given).toHaveLength(1);
  });

  it("that never comes holds nobody beyond the deadline", async () => {
    const clock = new FakeClock();
    const call = withAuth(service("k").step, () => new Promise(() => {}), clock);
    const error = errorOf(call(aRequest({ deadline: 100, deadlineAt: 100 })), TimeoutError);
    await clock.advance(100);
    expect(await error).toMatchObject({ outcome: "notSent" });
  });
});
