import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redact, redactText, secretsIn } from "./redact.js";

describe("redact", () => {
  it("covers secret members at any depth, in snake_case and camelCase", () => {
    const value = {
      data: [{ connection_uri: "postgres://u:p@h", poolUri: "x", name: "db" }],
      passcode: 4711,
      user_data: { a: 1 },
      otp_code: null,
    };
    expect(redact(value)).toEqual({
      data: [{ connection_uri: "[secret]", poolUri: "[secret]", name: "db" }],
      passcode: "[secret]",
      user_data: "[secret]",
      otp_code: null,
    });
  });

  it("covers credentials in any text", () => {
    expect(redact("see postgres://user:p@ss/w0rd@host:5432/db now")).toBe(
      "see postgres://[secret]@host:5432/db now",
    );
    expect(redact("authorization: Bearer abc.def")).toBe("authorization: Bearer [secret]");
    expect(redact("https://example.com/path")).toBe("https://example.com/path");
  });
});

describe("redactText", () => {
  it("covers all given secrets, also when one contains another", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 8, unit: fc.constantFrom("a", "b", "c", "$", "\\") }), {
          minLength: 1,
        }),
        (secrets) => {
          const quoted = redactText(`quoted: ${secrets.join(" and ")}`, secrets);
          for (const secret of secrets) expect(quoted).not.toContain(secret);
        },
      ),
    );
  });

  it("secretsIn finds the secrets of a body at any depth", () => {
    expect(secretsIn({ payload: { deep: ["inside", 12345] }, secret: "s3cret", url: "u" })).toEqual([
      "inside",
      "12345",
      "s3cret",
    ]);
  });
});
