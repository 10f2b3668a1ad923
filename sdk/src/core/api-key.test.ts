import { describe, expect, it } from "vitest";
import { errorOf } from "../../../test/support/failure.js";
import { checkedKey, currentKey } from "./api-key.js";
import { ConfigurationError } from "./errors.js";

describe("an API key", () => {
  it("is used as it is", () => {
    expect(checkedKey("sk_live_ABC-123._~+/=")).toBe("sk_live_ABC-123._~+/=");
  });

  it.each([
    ["with the line break of its file", "sk_secret\n"],
    ["with a header after it", "sk_secret\r\nx-injected: 1"],
    ["with a space inside", "sk_secret sk_other"],
    ["with a letter beyond ASCII", "sk_sécret"],
    ["with a null byte", "sk_secret\0"],
  ])("%s is refused without being quoted", (_, key) => {
    expect(() => checkedKey(key)).toThrow(ConfigurationError);
    expect(() => checkedKey(key)).not.toThrow(/sk_/);
  });

  it("that is missing is told with the ways to give it", () => {
    expect(() => checkedKey(undefined)).toThrow(/CLOUDSERVICES_API_KEY/);
  });

  it("may come from a function, and is checked then too", async () => {
    await expect(currentKey(async () => "sk_1")).resolves.toBe("sk_1");
    await errorOf(
      currentKey(() => "bad key"),
      ConfigurationError,
    );
  });

  it("whose function fails leaves nothing sent, and the cause to be seen", async () => {
    const cause = new Error("vault is sealed");
    const error = await errorOf(
      currentKey(() => Promise.reject(cause)),
      ConfigurationError,
    );
    expect(error).toMatchObject({ outcome: "notSent", cause });
  });
});
