import { describe, expect, it } from "vitest";
import { foundBy, step, urnOf } from "../testing.js";

const urn = urnOf("Link", "docs");
const preview = { name: "preview", command: "preview" } as const;

describe("settled", () => {
  it("accepts an empty preview", () => {
    expect(foundBy("settled", { phases: [{ ...preview, steps: [step("same", urn)] }] })).toEqual([]);
  });

  it("finds what the preview plans", () => {
    const found = foundBy("settled", { phases: [{ ...preview, steps: [step("update", urn, "planned")] }] });
    expect(found).toEqual([`the preview after recovery plans update ${urn}`]);
  });

  it("finds a preview that fails", () => {
    expect(foundBy("settled", { phases: [{ ...preview, outcome: "failed" }] })).toHaveLength(1);
  });

  it("finds that an unchanged program changes something", () => {
    const scenario = { name: "same", kind: "Link", operation: "same" } as const;
    const patch = { method: "PATCH", target: "/shortener/links/link_1" };
    const get = { ...patch, method: "GET" };
    expect(foundBy("settled", { scenario, phases: [{ exchanges: [get] }] })).toEqual([]);
    expect(foundBy("settled", { scenario, phases: [{ exchanges: [patch] }] })).toHaveLength(1);
    expect(foundBy("settled", { phases: [{ exchanges: [patch] }] })).toEqual([]);
  });
});
