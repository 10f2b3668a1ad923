import fc from "fast-check";
import { expect, it } from "vitest";
import { scrub, secretsIn } from "./scrub.js";

it("removes a secret however it is spelt", () => {
  const secret = 'p&ss "word"';
  const text = `${secret} ${encodeURIComponent(secret)} ${Buffer.from(secret).toString("base64")} ${JSON.stringify(secret)}`;
  expect(scrub(text, [secret])).toBe('[secret] [secret] [secret] "[secret]"');
});

it("finds a secret within a longer text in Base64", () => {
  const secret = "a-secret/of+some?length";
  for (const before of ["", "u", "us", "user", "user:"]) {
    for (const encoding of ["base64", "base64url"] as const) {
      const text = Buffer.from(`${before}${secret} and what follows`).toString(encoding);
      const clean = scrub(text, [secret]);
      expect(clean, before).toContain("[secret]");
      expect(Buffer.from(clean, encoding).toString(), before).not.toContain(secret.slice(1, -1));
    }
  }
});

it("leaves nothing of a secret that holds another", () => {
  expect(scrub("key-12345 key-1", ["key-1", "key-12345"])).toBe("[secret] [secret]");
});

it("never leaves a secret in any text", () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ minLength: 4 }), fc.string(), (before, secret, after) => {
      fc.pre(!"[secret]".includes(secret));
      expect(scrub(before + secret + after, [secret])).not.toContain(secret);
    }),
  );
});

it("collects the secrets of the named properties at any depth", () => {
  expect(secretsIn({ a: { b: ["x"] }, c: "y", d: "z" }, new Set(["a", "c"]))).toEqual(["x", "y"]);
});
