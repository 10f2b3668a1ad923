import { ConflictError, ServerError } from "cloudservices-sdk";
import { describe, expect, it } from "vitest";
import { createResource } from "../../test-support/operations.js";
import { errorOf, facts, type Inputs, open, type Remote, service } from "../../test-support/thing.js";
import type { Kind } from "../definition/kind.js";

describe("the message about a creation whose response was lost", () => {
  it.each([
    ["the time of the service", 1_000, "1970-01-01T00:16:40.000Z by the service's clock)"],
    ["the first second", 0, "1970-01-01T00:00:00.000Z by the service's clock)"],
    ["our time where the service's is none", 1e300, "1970-01-01T00:16:40.000Z)"],
    ["our time where the service gives none", undefined, "1970-01-01T00:16:40.000Z)"],
  ])("has %s", async (_what, timestamp, text) => {
    const { kind, faults } = service();
    const { scope, checked } = open(kind);
    const error = () => new ServerError({ ...facts, timestamp });
    faults.push({ on: "create", when: "before", error });
    expect(await errorOf(createResource(scope, checked({})))).toMatchObject({
      message: expect.stringContaining(text),
    });
  });
});

it("the holders of a taken name are listed even if their fields have other types", async () => {
  const { unique, add } = service();
  const odd: Kind<Inputs, Remote> = {
    ...unique,
    inputs: {
      ...unique.inputs,
      colour: { ...unique.inputs.colour, from: (remote) => remote.colour?.toLowerCase() },
    },
    identity: { by: ["name"], chosen: "colour", matches: (remote, { name }) => remote.name === name },
    create: () => Promise.reject(new ConflictError({ message: "taken.", outcome: "rejected" })),
  };
  const plain = add({ name: "web", colour: "RED" });
  const strange = add({ name: "web" });
  Object.assign(strange, { colour: 7 });
  const { scope, checked } = open(odd);
  expect(await errorOf(createResource(scope, checked({ name: "web" })))).toMatchObject({
    message: expect.stringContaining(`it may be ${plain.id} (red), ${strange.id} (colour unknown)`),
  });
});
