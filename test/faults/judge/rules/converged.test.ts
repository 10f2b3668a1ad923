import { describe, expect, it } from "vitest";
import { foundBy, step, urnOf } from "../testing.js";

const urn = urnOf("Link", "docs");
const preview = { name: "preview", command: "preview" } as const;

describe("converged", () => {
  it("accepts an empty preview", () => {
    expect(foundBy("converged", { phases: [{ ...preview, steps: [step("same", urn)] }] })).toEqual([]);
  });

  it("finds a planned change", () => {
    const found = foundBy("converged", { phases: [{ ...preview, steps: [step("update", urn, "planned")] }] });
    expect(found).toEqual([`the preview after recovery plans update ${urn}`]);
  });

  it("finds a failed preview", () => {
    expect(foundBy("converged", { phases: [{ ...preview, outcome: "failed" }] })).toHaveLength(1);
  });

  it("finds a change by an unchanged program", () => {
    const scenario = { name: "same", kind: "Link", operation: "same" } as const;
    const patch = { method: "PATCH", target: "/shortener/links/link_1" };
    const get = { ...patch, method: "GET" };
    expect(foundBy("converged", { scenario, phases: [{ exchanges: [get] }] })).toEqual([]);
    expect(foundBy("converged", { scenario, phases: [{ exchanges: [patch] }] })).toHaveLength(1);
    expect(foundBy("converged", { phases: [{ exchanges: [patch] }] })).toEqual([]);
  });
});
