import { describe, expect, it } from "vitest";
import { createResource, readResource, updateResource } from "../../test-support/operations.js";
import {
  errorOf,
  type Inputs,
  lostResponse,
  open,
  type Remote,
  service,
  urn,
} from "../../test-support/thing.js";
import type { Kind } from "../definition/kind.js";
import { PartialFailure } from "../diagnostics/errors.js";

describe("adopting", () => {
  it("sends on the next run the changes that an interruption prevented", async () => {
    const { kind, faults, add, calls } = service();
    const { scope, checked } = open(kind);
    const { id } = add({ name: "by-hand", colour: "red" });
    const inputs = checked({ adopt: id, colour: "blue", hidden: "h" });
    faults.push({ on: "update", when: "before", error: lostResponse });
    const partial = await errorOf(createResource(scope, inputs));
    expect(partial).toBeInstanceOf(PartialFailure);
    if (!(partial instanceof PartialFailure)) return;
    calls.length = 0;
    const next = checked({ adopt: id, colour: "blue", hidden: "h" }, inputs);
    expect(await updateResource(scope, id, { ...partial.outputs }, next)).toMatchObject({
      colour: "blue",
      hidden: "h",
    });
    expect(calls).toContain("update");
  });

  it("warns about unverified inputs that only a new resource can change", async () => {
    const { kind, add } = service();
    const hidden: Kind<Inputs, Remote> = {
      ...kind,
      inputs: { ...kind.inputs, hidden: { ...kind.inputs.hidden, onChange: "replace" } },
    };
    const { id } = add({ name: "by-hand", colour: "red" });
    const open1 = open(hidden);
    await createResource(open1.scope, open1.checked({ adopt: id, colour: "red", hidden: "h" }));
    expect(open1.warnings).toEqual([
      expect.stringMatching(/^Thing "thing" \(t1\) was adopted\. .* its hidden, .*`pulumi state delete`/),
    ]);
    const open2 = open(hidden);
    await createResource(open2.scope, open2.checked({ adopt: id, colour: "red" }));
    expect(open2.warnings).toEqual([]);
  });

  it("rejects what no documented request can change, and warns about unverified inputs", async () => {
    const { kind, add, calls } = service();
    const { scope, checked, warnings } = open(
      { ...kind, documented: { list: true } },
      { "cloudservices:api": "documented" },
    );
    const { id } = add({ name: "by-hand", colour: "red" });
    expect(await errorOf(createResource(scope, checked({ adopt: id, colour: "blue" })))).toMatchObject({
      message: expect.stringMatching(
        /its colour differs.*\[ADOPT_MISMATCH\].* no request that updates a Thing .* Nothing was done/s,
      ),
    });
    expect(warnings).toEqual([]);
    const { outputs } = await createResource(scope, checked({ adopt: id, colour: "red", hidden: "h" }));
    expect(outputs).toMatchObject({ colour: "red", hidden: "h" });
    expect(warnings).toEqual([expect.stringContaining("does not return its hidden")]);
    expect(calls).not.toContain("update");
  });
});

describe("a resource that the program only reads", () => {
  it("that does not exist fails with advice on how to create a new one", async () => {
    const { kind } = service();
    const { scope, checked } = open(kind);
    expect(await errorOf(createResource(scope, checked({ adopt: "t9", colour: "red" })))).toMatchObject({
      message: expect.stringMatching(
        /\(t9\) .*\[ADOPT_NOT_FOUND\].* remove `adopt` from the program, then pulumi up/s,
      ),
    });
  });

  it("can be adopted in the run that refreshes it", async () => {
    const { kind, add } = service();
    const { id } = add({ name: "by-hand", colour: "red" });
    const first = await readResource(open(kind).scope, id, { __urn: urn });
    expect(first?.outputs).toMatchObject({ colour: "red" });
    const { scope, checked } = open(kind);
    const refreshed = await readResource(scope, id, first?.outputs ?? {});
    expect(refreshed?.outputs).toEqual(first?.outputs);
    expect(await createResource(scope, checked({ adopt: id, colour: "red" }))).toMatchObject({ id });
  });

  it("cannot be adopted when the stack already manages it", async () => {
    const { kind } = service();
    const first = open(kind);
    const { id, outputs } = await createResource(first.scope, first.checked({ colour: "red" }));
    const { scope, checked } = open(kind);
    await readResource(scope, id, outputs);
    await readResource(scope, id, {});
    expect(await errorOf(createResource(scope, checked({ adopt: id })))).toMatchObject({
      message: expect.stringContaining("[ALREADY_MANAGED]"),
    });
  });
});

describe("taking over what an interrupted run left", () => {
  const allowed = { "cloudservices:adoptInterrupted": "true" };

  it("removes inputs that the program no longer sets, even if the first attempt fails", async () => {
    const { kind, faults } = service();
    const sent: unknown[] = [];
    const watched: Kind<Inputs, Remote> = {
      ...kind,
      update: (api, id, changes, context) => {
        sent.push(changes);
        return kind.update?.(api, id, changes, context) ?? Promise.resolve(undefined);
      },
    };
    const interrupted = open(watched);
    await createResource(interrupted.scope, interrupted.checked({ colour: "red", hidden: "h" }));
    const { scope, checked } = open(watched, allowed);
    const inputs = checked({ colour: "red" });
    faults.push({ on: "update", when: "before", error: lostResponse });
    const partial = await errorOf(createResource(scope, inputs));
    expect(sent).toEqual([{ hidden: null }]);
    expect(partial).toBeInstanceOf(PartialFailure);
    if (!(partial instanceof PartialFailure)) return;
    const refreshed = await readResource(scope, partial.resourceId, { ...partial.outputs });
    await updateResource(
      scope,
      partial.resourceId,
      refreshed?.outputs ?? {},
      checked({ colour: "red" }, inputs),
    );
    expect(sent).toEqual([{ hidden: null }, { hidden: null }]);
  });

  it("removes nothing from a resource that the program adopts by id", async () => {
    const { kind, add, calls } = service();
    const { scope, checked } = open(kind, allowed);
    const { id } = add({ name: "by-hand", colour: "red" });
    await createResource(scope, checked({ adopt: id }));
    expect(calls).toEqual(["read"]);
  });

  it("rejects a difference that only a new resource can resolve, and changes nothing", async () => {
    const { kind, calls } = service();
    const fixed: Kind<Inputs, Remote> = {
      ...kind,
      inputs: { ...kind.inputs, colour: { ...kind.inputs.colour, onChange: "replace" } },
    };
    const interrupted = open(fixed);
    await createResource(interrupted.scope, interrupted.checked({ colour: "red" }));
    const { scope, checked, session, warnings } = open(fixed, allowed);
    calls.length = 0;
    expect(await errorOf(createResource(scope, checked({ colour: "blue" })))).toMatchObject({
      message: expect.stringMatching(/its colour differs from the program \[ADOPT_MISMATCH\]/),
    });
    expect(calls.filter((call) => call !== "list" && call !== "read")).toEqual([]);
    expect(session.claims.isManaged("Thing", "t1")).toBe(false);
    expect(warnings).toEqual([]);
  });
});
