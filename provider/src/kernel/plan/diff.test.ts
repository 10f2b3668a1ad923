import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diff } from "../../test-support/operations.js";
import {
  checked,
  difference,
  inputs,
  kind,
  outputsFor,
  settings,
  urn,
  valid,
} from "../../test-support/plan.js";
import { outputsOf } from "../state/outputs.js";
import { PlannedNames } from "./planned-names.js";

describe("diff", () => {
  it("leaves changes in place to the engine, which names the fields", () => {
    expect(difference(valid, { ...valid, url: "https://b.test" })).toEqual({
      changes: undefined,
      changed: ["url"],
      replaces: [],
      deleteBeforeReplace: false,
    });
  });

  it("names the fields that require a replacement", () => {
    expect(difference(valid, { ...valid, region: "us" }).replaces).toEqual(["region"]);
  });

  it("replaces nothing for an empty list", () => {
    expect(difference(valid, { ...valid, keys: [] }).replaces).toEqual([]);
    expect(difference({ ...valid, keys: [] }, valid).replaces).toEqual([]);
    expect(difference({ ...valid, keys: [] }, { ...valid, keys: [1] }).replaces).toEqual(["keys"]);
  });

  it("requires an update of a resource that is not ready", () => {
    const news = { ...valid };
    expect(
      diff(kind, outputsFor(news, { ready: false }), news, settings, new PlannedNames(), 0),
    ).toMatchObject({ changes: true, replaces: [] });
  });

  it("replaces a resource that failed before it was ever ready, and no other", () => {
    const failed = outputsFor(valid, { ready: false, failed: "no capacity" });
    expect(diff(kind, failed, valid, settings, new PlannedNames(), 0)).toMatchObject({
      changes: true,
      replaces: ["status"],
    });
    const worked = outputsOf(kind, settings, valid, undefined, outputsFor(valid), {
      ready: false,
      failed: "broken",
    });
    expect(diff(kind, worked, valid, settings, new PlannedNames(), 0)).toMatchObject({
      changes: true,
      replaces: [],
    });
  });

  it("reports no change between equivalent values, and replaces only for `replace` inputs", () => {
    fc.assert(
      fc.property(inputs, inputs, (a, b) => {
        const names = new PlannedNames();
        const before = checked({ ...a, __urn: urn }, {}, names).inputs;
        const after = checked({ ...b, __urn: urn }, before, names).inputs;
        expect(diff(kind, outputsFor(before), after, settings, names, 0).replaces).toEqual(
          a.region === b.region ? [] : ["region"],
        );
        expect(checked({ ...a, __urn: urn }, before).inputs).toEqual(before);
      }),
    );
  });
});
