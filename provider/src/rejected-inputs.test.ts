import { expect, it } from "vitest";
import { handlers } from "./dynamic.js";

/*
 * What the engine receives for rejected inputs.
 */

const config: Record<string, string> = {
  "cloudservices:apiKey": "sk_live_of_the_stack",
  "cloudservices:baseUrl": "https://api.test/v1",
};
const urn = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/cloudservices:Database::orders";
const database = { engine: "postgresql", version: "16", plan: "db-starter-1", region: "eu", __urn: urn };

const failuresOf = async (news: object) => {
  await handlers.Database.configure({ config: { get: (key) => config[key] } });
  return (await handlers.Database.check({}, { ...database, ...news })).failures;
};

it("a rejected input names no property, whose value the engine would print, and ends its first line with the code", async () => {
  expect(await failuresOf({ name: 5 })).toEqual([
    {
      property: "",
      reason: expect.stringMatching(/^name \(5\) must be a string \[INPUT_INVALID\]\n {2}more: /),
    },
  ]);
});

it("a rejected input that the program marks as secret is not shown", async () => {
  const [failure] = await failuresOf({ plan: "db-startr-1", __secrets: ["plan"] });
  expect(failure?.reason).toContain("[INPUT_UNLISTED]");
  expect(failure?.reason).not.toContain("db-startr-1");
});
