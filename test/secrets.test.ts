import { describe, expect, it } from "vitest";
import { expectNoSecrets } from "./support/secrets.js";

const secret = "p@ss word/1234567";

describe("looking for secrets", () => {
  it.each([
    ["as it is", `uri: x:${secret}@host`],
    ["percent-encoded", `x:${encodeURIComponent(secret)}@host`],
    ["in JSON", JSON.stringify({ a: `"${secret}"` })],
    ["in Base64", Buffer.from(secret).toString("base64")],
    ["in Base64, a byte later", Buffer.from(`u${secret}`).toString("base64")],
    ["in Base64, in the middle", Buffer.from(`ab${secret}cdef`).toString("base64")],
  ])("finds one %s, and does not repeat it", (_, text) => {
    expect(() => expectNoSecrets(text, { password: secret })).toThrow(/password/);
    try {
      expectNoSecrets(text, { password: secret });
    } catch (error) {
      expect(String(error)).not.toContain(secret);
    }
  });

  it("finds none where there is none, and refuses to look for what proves nothing", () => {
    expectNoSecrets("nothing here", { password: secret });
    expect(() => expectNoSecrets("nothing here", { password: "abc" })).toThrow("too short");
  });
});
