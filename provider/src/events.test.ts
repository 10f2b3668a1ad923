import { eventNames } from "cloudservices-sdk";
import { expect, it } from "vitest";
import { events } from "./events.js";

it("every event of the specification has its constant", () => {
  expect(Object.values(events).sort()).toEqual([...eventNames].sort());
});
