import { describe, expect, it } from "vitest";
import { checkArguments } from "./arguments.js";
import { functions } from "./index.js";
import { waitForMessage } from "./mail.js";

const noService = () => {
  throw new Error("No request was expected.");
};

it.each(Object.entries(functions))("%s is listed under its name", (name, definition) => {
  expect(definition.name).toBe(name);
});

describe("the arguments of a function", () => {
  it("are returned as the function takes them, with their defaults", () => {
    const { estimateCost } = functions;
    if (!estimateCost) throw new Error("estimateCost is not listed.");
    expect(checkArguments(estimateCost, { vps: [{ plan: "vps-micro-1" }] })).toEqual({
      args: { vps: [{ plan: "vps-micro-1", count: 1 }], databases: [] },
    });
  });

  it("are rejected by name, without their values", () => {
    expect(checkArguments(waitForMessage, { inboxid: "canary", timeout: "canary" })).toEqual({
      problems: [
        { argument: "inboxId", message: "inboxId is required" },
        { argument: "timeout", message: 'timeout must be a duration such as "90s" or "2m"' },
        { argument: "inboxid", message: 'it has no argument "inboxid"; did you mean "inboxId"?' },
      ],
    });
  });
});

it("waitForMessage waits for nothing in a preview", async () => {
  expect(await waitForMessage.run(noService, { inboxId: "inbox_1" }, { preview: true })).toBeUndefined();
});
