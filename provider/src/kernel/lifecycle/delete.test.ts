import { describe, expect, it } from "vitest";
import { createResource, deleteResource } from "../../test-support/operations.js";
import { type Inputs, lostResponse, open, type Remote, service, urn } from "../../test-support/thing.js";
import type { Kind } from "../definition/kind.js";
import { entryOf } from "../state/resource-state.js";

describe("deleting", () => {
  it("retries after a lost response", async () => {
    const { kind, faults, things, calls } = service();
    const { scope, checked } = open(kind);
    const { id, outputs } = await createResource(scope, checked({}));
    faults.push({ on: "delete", when: "after", error: lostResponse });
    await deleteResource(scope, id, outputs);
    expect(things.size).toBe(0);
    expect(calls.filter((call) => call === "delete")).toHaveLength(2);
  });

  it("keeps a resource that another resource of the program has claimed", async () => {
    const { kind, things } = service();
    const { scope, session, checked } = open(kind);
    const { id, outputs } = await createResource(scope, checked({}));
    const later = open(kind);
    later.session.claims.claim("Thing", id, "another entry", "Thing");
    await deleteResource(later.scope, id, outputs);
    expect(things.size).toBe(1);
    expect(later.warnings).toEqual([expect.stringContaining("another resource of the program has it now")]);
    await deleteResource(scope, id, outputs);
    expect(things.size).toBe(0);
    expect(session.claims.isManaged("Thing", id)).toBe(true);
  });

  it("prints no warning for a kind without deletion, however many resources share the id", async () => {
    const { delete: _none, ...lasting } = service().kind;
    const { scope, session, checked, warnings } = open(lasting);
    const { id, outputs } = await createResource(scope, checked({}));
    session.claims.claim("Thing", id, "another entry", "Thing");
    await deleteResource(scope, id, outputs);
    expect(warnings).toEqual([]);
  });

  it("deletes a renamed predecessor, and keeps what another entry of the same id has", async () => {
    const { kind, things } = service();
    const { scope, checked } = open(kind);
    const { id, outputs } = await createResource(scope, checked({}));
    const twin = { ...outputs, __state: { ...Object(outputs["__state"]), entry: "of another" } };
    const later = open(kind);
    later.session.claims.claim("Thing", id, entryOf(outputs, urn), "Thing");
    await deleteResource(later.scope, id, twin);
    expect(things.size).toBe(1);
    await deleteResource(later.scope, id, { ...outputs, __urn: `${urn}-renamed` });
    expect(things.size).toBe(0);
  });

  it("keeps the successor of a resource with the same id", async () => {
    const { kind, things } = service();
    const idempotent: Kind<Inputs, Remote> = { ...kind, createIsIdempotent: true };
    const { scope, checked } = open(idempotent);
    const { id, outputs } = await createResource(scope, checked({}));
    await deleteResource(scope, id, outputs);
    expect(things.size).toBe(1);
  });
});
