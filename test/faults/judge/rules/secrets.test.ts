import { describe, expect, it } from "vitest";
import { diagnostic, entry, foundBy } from "../testing.js";

const secret = "canary-%4/secret+value";
const given = { secrets: { passcode: secret } };
const encoded = Buffer.from(`x${secret}`).toString("base64");

describe("secrets", () => {
  it.each([secret, encodeURIComponent(secret), encoded])("finds %s in what is printed", (text) => {
    const printed = [diagnostic(`refused: ${text}.`)];
    expect(foundBy("secrets", { ...given, phases: [{ printed }] })).toEqual([
      'the secret "passcode" is in a diagnostic',
    ]);
  });

  it("accepts a secret only where the state marks it", () => {
    const marked = [entry("Link", "docs", "link_1", { passcode: { $secret: secret } })];
    expect(foundBy("secrets", { ...given, phases: [{ state: marked }] })).toEqual([]);
    const clear = [entry("Link", "docs", "link_1", { passcode: secret })];
    expect(foundBy("secrets", { ...given, phases: [{ state: clear }] })).toHaveLength(1);
    expect(foundBy("secrets", { ...given, phases: [{ stateText: `"${secret}"` }] })).toHaveLength(1);
  });

  it("finds a secret in files and addresses, but not in a body", () => {
    const file = { path: "/tmp/log", text: secret };
    expect(foundBy("secrets", { ...given, files: [file], phases: [{}] })).toHaveLength(1);
    const target = `/shortener/links?passcode=${encodeURIComponent(secret)}`;
    expect(
      foundBy("secrets", { ...given, phases: [{ exchanges: [{ method: "GET", target }] }] }),
    ).toHaveLength(1);
    const post = { method: "POST", target: "/shortener/links", requestBody: { passcode: secret } };
    expect(foundBy("secrets", { ...given, phases: [{ exchanges: [post] }] })).toEqual([]);
  });

  it("finds a mask that is sent back", () => {
    const patch = {
      method: "PATCH",
      target: "/shortener/links/link_1",
      requestBody: { passcode: "[secret]" },
    };
    expect(foundBy("secrets", { phases: [{ exchanges: [patch] }] })).toEqual(["a mask was sent as passcode"]);
  });
});
