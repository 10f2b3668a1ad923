import { describe, expect, it } from "vitest";
import { open, service } from "../../test-support/thing.js";
import { outputsOf } from "../state/outputs.js";
import { readState } from "../state/resource-state.js";
import { planUpdate } from "./update-plan.js";

const { kind } = service();

function plan(news: Record<string, string>, found: Parameters<typeof outputsOf>[5] = { ready: true }) {
  const { session, checked } = open(kind);
  const olds = outputsOf(
    kind,
    session.settings,
    checked({ name: "one", colour: "red" }),
    undefined,
    {},
    found,
  );
  return planUpdate(kind, session.settings, readState(olds), olds, checked({ name: "one", ...news }, olds));
}

describe("the plan of an update", () => {
  it("has no fields without a change", () => {
    expect(plan({ colour: "red" })).toMatchObject({ fields: [], isUnfinished: false, converges: false });
  });

  it("has the changed fields that an update can send", () => {
    expect(plan({ colour: "blue", hidden: "x" }).fields).toEqual(["colour", "hidden"]);
    expect(plan({ name: "two", colour: "red" }).fields).toEqual([]);
  });

  it("repeats a field whose last change may have failed", () => {
    const uncertain = plan({ colour: "red" }, { ready: false, uncertain: ["colour"] });
    expect(uncertain).toMatchObject({ fields: ["colour"], isUnfinished: true, converges: true });
  });

  it("keeps the substitute until the program requests another name", () => {
    const asked = { ready: true, asked: "one" };
    expect(plan({ colour: "blue" }, asked)).toMatchObject({ substitute: { name: "one" } });
    expect(plan({ name: "two", colour: "blue" }, asked).values).toMatchObject({ name: "two" });
  });
});
