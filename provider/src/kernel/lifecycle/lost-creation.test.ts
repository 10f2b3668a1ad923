import { describe, expect, it } from "vitest";
import { createResource } from "../../test-support/operations.js";
import { errorOf, type Inputs, lostResponse, open, type Remote, service } from "../../test-support/thing.js";
import type { Kind } from "../definition/kind.js";

const count = (calls: readonly string[], what: string) => calls.filter((call) => call === what).length;

describe("a lost response to the creation of a resource that expires", () => {
  const expiring = (all: ReturnType<typeof service>): Kind<Inputs, Remote> => ({
    ...all.kind,
    naming: { field: "name", form: "readable", expires: () => "2030-01-01T00:00:00Z" },
  });

  it.each(["", "given"])("is retried, even if it had no effect (name %j)", async (name) => {
    const all = service();
    const kind = expiring(all);
    const { scope, checked, warnings } = open(kind);
    all.faults.push({ on: "create", when: "before", error: lostResponse });
    await createResource(scope, checked(name ? { name } : {}));
    expect(count(all.calls, "create")).toBe(2);
    expect(warnings).toEqual([expect.stringMatching(/created by request 2.*expires/)]);
  });

  it("is not retried when the listing shows its derived name", async () => {
    const all = service();
    const { scope, checked } = open(expiring(all));
    all.faults.push({ on: "create", when: "after", error: lostResponse });
    expect(await createResource(scope, checked({}))).toMatchObject({ id: "t1" });
    expect(all.things.size).toBe(1);
  });

  it("is sent at most three times, with and without a listing", async () => {
    for (const config of [{}, { "cloudservices:api": "documented" }]) {
      const all = service();
      const { scope, checked } = open(expiring(all), config);
      for (let number = 0; number < 5; number++)
        all.faults.push({ on: "create", when: "before", error: lostResponse });
      const said = await errorOf(createResource(scope, checked({})));
      expect(said).toMatchObject({ message: expect.stringContaining("[CREATE_OUTCOME_UNKNOWN]") });
      // It was sent again, so a message that denies it would be untrue.
      expect(said).toMatchObject({ message: expect.stringMatching(/It was retried.*expires by itself/) });
      expect(count(all.calls, "create")).toBe(3);
    }
  });
});

describe("a creation with an unknown outcome, with only documented requests", () => {
  const config = { "cloudservices:api": "documented" };

  it("suggests deleting a kind that cannot be read, and not adopting it", async () => {
    const all = service();
    const { scope, checked } = open(all.kind, config);
    all.faults.push({ on: "create", when: "after", error: lostResponse });
    const error = await errorOf(createResource(scope, checked({})));
    expect(error).toMatchObject({
      message: expect.stringMatching(/\[CREATE_OUTCOME_UNKNOWN\].*delete it at the service, then pulumi up/s),
    });
    expect(error).not.toMatchObject({ message: expect.stringContaining("adopt:") });
  });

  it("suggests adopting a kind that can be listed", async () => {
    const all = service();
    const { scope, checked } = open({ ...all.unique, documented: { list: true } }, config);
    for (let number = 0; number < 3; number++)
      all.faults.push({ on: "create", when: "before", error: lostResponse });
    expect(await errorOf(createResource(scope, checked({})))).toMatchObject({
      message: expect.stringContaining('adopt: "<its id>"'),
    });
  });

  it("says what to do when adoption is impossible", async () => {
    const { kind, add } = service();
    const { id } = add({ name: "web" });
    const { scope, checked } = open(kind, config);
    expect(await errorOf(createResource(scope, checked({ adopt: id })))).toMatchObject({
      message: expect.stringMatching(/\[ADOPT_UNSUPPORTED\].*delete t1 at the service, remove `adopt` /s),
    });
  });
});
