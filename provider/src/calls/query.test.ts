import * as pulumi from "@pulumi/pulumi";
import { afterEach, describe, expect, it } from "vitest";
import type { z } from "zod";
import type { FunctionDefinition } from "../functions/define-function.js";
import { integer, text } from "../kernel/definition/fields.js";
import { query } from "./query.js";

const queryOf = <S extends z.core.$ZodLooseShape, R>(definition: FunctionDefinition<S, R>) =>
  query(definition, async () => definition);

const { promise, output } = queryOf({
  name: "getThing",
  args: { thingId: text(), limit: integer(1, 9).optional() },
  secret: true,
  run: (_service, { thingId, limit }) => `${thingId} ${limit}`,
});

const asking = queryOf({ name: "getThing", args: {}, run: (service) => service().baseUrl });
const revealing = queryOf({
  name: "getThing",
  args: {},
  run(service) {
    service();
    throw new Error("the key canary/of+the=key is refused");
  },
});

async function refusalOf(asked: Promise<unknown>): Promise<Error> {
  const error = await asked.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Error)) throw new Error("It was expected to fail, and did not.");
  return error;
}

afterEach(() => pulumi.runtime.setAllConfig({}));

describe("the arguments of a function", () => {
  it("are reported when invalid, all at once, by name and without values", async () => {
    const { message } = await refusalOf(promise({ thingid: "canary", limit: "canary" }));
    expect(message).toBe(
      'getThing: thingId is required; limit must be a whole number from 1 to 9; it has no argument "thingid"; did you mean "thingId"?.',
    );
  });

  it("cannot be outputs in the promise form", async () => {
    const { message } = await refusalOf(promise({ thingId: pulumi.output("a") }));
    expect(message).toBe("getThing: thingId is an output of a resource: use getThingOutput.");
  });

  it("may be outputs in the output form, whose result is secret for confidential functions", async () => {
    const found = output({ thingId: pulumi.output("a"), limit: Promise.resolve(3) });
    expect(await new Promise((resolve) => found.apply(resolve))).toBe("a 3");
    expect(await pulumi.isSecret(found)).toBe(true);
  });
});

describe("a function that fails", () => {
  it("throws an error whose stack the engine does not print", async () => {
    const error = await refusalOf(asking.promise({}));
    expect(pulumi.RunError.isInstance(error)).toBe(true);
    expect(error.message).toMatch(/^getThing: .*no API key; there is no base URL \[CONFIG_INVALID\]/);
    expect(error.stack).toBe(error.message);
  });

  it("does not repeat the API key", async () => {
    pulumi.runtime.setAllConfig({
      "cloudservices:apiKey": "canary/of+the=key",
      "cloudservices:baseUrl": "https://api.test/v1",
    });
    const { message } = await refusalOf(revealing.promise({}));
    expect(message).toBe("getThing: the key [secret] is refused");
  });
});
