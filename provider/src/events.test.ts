import { eventNames } from "cloudservices-sdk";
import { expect, it } from "vitest";
import { events } from "./events.js";

it("every event of the specification has a constant", () => {
  expect(Object.values(events).sort()).toEqual([...eventNames].sort());
});
