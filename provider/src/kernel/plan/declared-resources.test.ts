import { describe, expect, it } from "vitest";
import { DeclaredResources } from "./declared-resources.js";

const named = (name: string, kind = "Database") => ({ kind, inputs: { name }, isNew: true, nameKey: name });

describe("the resources that may have the same name", () => {
  it("are the others of the kind, in the order of their checks", () => {
    const declared = new DeclaredResources();
    for (const urn of ["a", "b", "c"]) declared.note(urn, named("orders"));
    declared.note("server", named("orders", "VpsInstance"));
    declared.note("other", named("invoices"));
    declared.note("a", named("orders"));
    expect(declared.namesakes("b", named("orders")).map(([urn]) => urn)).toEqual(["a", "c"]);
    expect(declared.namesakes("new", named("nothing"))).toEqual([]);
  });

  it("do not include one that was checked again under another name", () => {
    const declared = new DeclaredResources();
    declared.note("a", named("orders"));
    declared.note("a", named("invoices"));
    expect(declared.namesakes("b", named("orders"))).toEqual([]);
    expect(declared.namesakes("b", named("invoices")).map(([urn]) => urn)).toEqual(["a"]);
  });
});
