import { expect, test } from "vitest";
import { Background } from "./background.js";

function recorder() {
  const reported: unknown[] = [];
  return { reported, report: (what: unknown) => void reported.push(what) };
}

const broken = () => {
  throw new Error("broken");
};

test.each([
  ["at once", () => 1],
  ["later", async () => 1],
])("what cannot be finished has failed, whether it answers %s", async (_, work) => {
  const { reported, report } = recorder();
  const background = new Background(report);
  const failures = recorder();
  background.run("a", work, broken, failures.report);
  await background.waitFor("a");
  expect([failures.reported, reported]).toEqual([[new Error("broken")], []]);
});

test.each([
  ["at once", broken],
  ["later", async () => broken()],
])(
  "a failure that cannot be recorded is reported and stops nothing, whether it comes %s",
  async (_, work) => {
    const { reported, report } = recorder();
    const background = new Background(report);
    const order: string[] = [];
    background.run("a", work, broken, broken);
    background.run(
      "a",
      async () => void order.push("next"),
      () => order.push("done"),
      broken,
    );
    await background.idle();
    await background.waitFor("a");
    expect([order, reported]).toEqual([["next", "done"], [new Error("broken")]]);
  },
);
