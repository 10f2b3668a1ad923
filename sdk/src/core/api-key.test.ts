import { describe, expect, it } from "vitest";
import { errorOf } from "../../../test/support/failure.js";
import { apiKeyProblem, checkedKey, currentKey } from "./api-key.js";
import { ConfigurationError } from "./errors.js";

describe("an API key", () => {
  it("accepts a key unchanged", () => {
    expect(checkedKey("sk_live_ABC-123._~+/=")).toBe("sk_live_ABC-123._~+/=");
  });

  it.each([
    ["with the line break of its file", "sk_secret\n"],
    ["with a header after it", "sk_secret\r\nx-injected: 1"],
    ["with a space inside", "sk_secret sk_other"],
    ["with a letter beyond ASCII", "sk_sécret"],
    ["with a null byte", "sk_secret\0"],
  ])("%s is rejected without being quoted", (_, key) => {
    expect(() => checkedKey(key)).toThrow(ConfigurationError);
    expect(() => checkedKey(key)).not.toThrow(/sk_/);
  });

  it.each([
    ["sk_1", undefined],
    [undefined, "missing"],
    ["", "missing"],
    ["sk_1\n", "padded"],
    [" sk_1", "padded"],
    ["sk 1", "unprintable"],
    ["sk_é", "unprintable"],
  ])("apiKeyProblem(%j) returns %s", (key, problem) => {
    expect(apiKeyProblem(key)).toBe(problem);
  });

  it("fails with advice on how to set it when it is missing", () => {
    expect(() => checkedKey(undefined)).toThrow(
      expect.objectContaining({
        message: "The API key is missing.",
        advice: expect.stringContaining("CLOUDSERVICES_API_KEY"),
      }),
    );
  });

  it("checks a key that a function returns", async () => {
    await expect(currentKey(async () => "sk_1")).resolves.toBe("sk_1");
    await errorOf(
      currentKey(() => "bad key"),
      ConfigurationError,
    );
  });

  it("sends nothing when the key function fails, and keeps its error as cause", async () => {
    const cause = new Error("vault is sealed");
    const error = await errorOf(
      currentKey(() => Promise.reject(cause)),
      ConfigurationError,
    );
    expect(error).toMatchObject({ outcome: "notSent", cause });
  });
});
