import { expect, test } from "vitest";
import { Background } from "./background.js";

function recorder() {
  const told: unknown[] = [];
  return { told, tell: (what: unknown) => void told.push(what) };
}

const broken = () => {
  throw new Error("broken");
};

test.each([
  ["at once", () => 1],
  ["later", async () => 1],
])("what cannot be finished has failed, whether it answers %s", async (_, work) => {
  const { told, tell } = recorder();
  const works = new Background(tell);
  const failures = recorder();
  works.run("a", work, broken, failures.tell);
  await works.waitFor("a");
  expect([failures.told, told]).toEqual([[new Error("broken")], []]);
});

test.each([
  ["at once", broken],
  ["later", async () => broken()],
])(
  "a failure that cannot be recorded is reported and stops nothing, whether it comes %s",
  async (_, work) => {
    const { told, tell } = recorder();
    const works = new Background(tell);
    const order: string[] = [];
    works.run("a", work, broken, broken);
    works.run(
      "a",
      async () => void order.push("next"),
      () => order.push("done"),
      broken,
    );
    await works.idle();
    await works.waitFor("a");
    expect([order, told]).toEqual([["next", "done"], [new Error("broken")]]);
  },
);
