import fc from "fast-check";
import { expect, it } from "vitest";
import { redact, secretsIn } from "./redact.js";

it("removes a secret in every encoding", () => {
  const secret = 'p&ss "word"';
  const text = `${secret} ${encodeURIComponent(secret)} ${Buffer.from(secret).toString("base64")} ${JSON.stringify(secret)}`;
  expect(redact(text, [secret])).toBe('[secret] [secret] [secret] "[secret]"');
});

it("finds a secret within a longer text in Base64", () => {
  const secret = "a-secret/of+some?length";
  for (const before of ["", "u", "us", "user", "user:"]) {
    for (const encoding of ["base64", "base64url"] as const) {
      const text = Buffer.from(`${before}${secret} and what follows`).toString(encoding);
      const clean = redact(text, [secret]);
      expect(clean, before).toContain("[secret]");
      expect(Buffer.from(clean, encoding).toString(), before).not.toContain(secret.slice(1, -1));
    }
  }
});

it("leaves nothing of a secret that contains another", () => {
  expect(redact("key-12345 key-1", ["key-1", "key-12345"])).toBe("[secret] [secret]");
});

const script = [
  "#!/bin/sh",
  "#!/usr/bin/env python3",
  "#!/bin/sh TOKEN=canary-5678",
  "set -euo pipefail",
  "  export TOKEN=canary-1234",
  "",
  "reboot",
  "-----BEGIN PRIVATE KEY-----",
  "MIIEvQIBADANBgkqhkiG9w0BAQEF",
  "-----END PRIVATE KEY-----",
].join("\r\n");

it.each([
  ["a line", "line 3: `export TOKEN=canary-1234` failed", "line 3: `[secret]` failed"],
  ["a first line that is more", "in #!/bin/sh TOKEN=canary-5678", "in [secret]"],
  ["a line in percent encoding", "export%20TOKEN%3Dcanary-1234", "[secret]"],
  ["a line in Base64", Buffer.from("export TOKEN=canary-1234").toString("base64"), "[secret]"],
  ["part of a key", "bad base64: MIIEvQIBADANBgkqhkiG9w0BAQEF", "bad base64: [secret]"],
])("removes from a secret of several lines %s", (_what, text, clean) => {
  expect(redact(text, [script])).toBe(clean);
});

it.each([
  "#!/bin/sh",
  "#!/usr/bin/env python3",
  "set -euo pipefail",
  "reboot",
  "-----BEGIN PRIVATE KEY-----",
])("keeps the lines of a secret that are not secret: %s", (line) => {
  expect(redact(`the script failed at ${line}`, [script])).toBe(`the script failed at ${line}`);
});

it("never leaves a secret in any text", () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ minLength: 4 }), fc.string(), (before, secret, after) => {
      fc.pre(!"[secret]".includes(secret));
      expect(redact(before + secret + after, [secret])).not.toContain(secret);
    }),
  );
});

it("collects the secrets of the named properties at any depth", () => {
  expect(secretsIn({ a: { b: ["x"] }, c: "y", d: "z" }, new Set(["a", "c"]))).toEqual(["x", "y"]);
});
