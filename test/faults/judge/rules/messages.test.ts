import { describe, expect, it } from "vitest";
import { diagnostic, foundBy, step, urnOf } from "../testing.js";

const urn = urnOf("Link", "docs");
const failed = { outcome: "failed" } as const;
const said = (text: string) =>
  foundBy("messages", { phases: [{ ...failed, printed: [diagnostic(text, urn)] }] });

describe("messages", () => {
  it("accepts one clear message", () => {
    expect(said('Link "docs" was not created: POST /shortener/links: 400. Run `pulumi up` again.')).toEqual(
      [],
    );
  });

  it.each([
    ["Error: no\n    at create (/app/lifecycle.js:12:3)", "diagnostic with a stack trace"],
    ["Link undefined was not created", "diagnostic with an undefined value"],
    ["failed: [object Object]", "diagnostic with an object that was not written out"],
    ["waits for NaN ms", "diagnostic with a number that is none"],
    ["502: <html><body>Bad Gateway</body></html>", "diagnostic with a page of HTML"],
    ["TypeError: Cannot read properties of null", "diagnostic with an error of the language"],
    ["x".repeat(2_001), "diagnostic of 2001 characters"],
  ])("finds %s", (text, found) => {
    expect(said(text)).toEqual([found]);
  });

  it("finds a missing and a repeated message", () => {
    expect(foundBy("messages", { phases: [failed] })).toEqual(["a command failed without a message"]);
    const twice = [diagnostic("no", urn), diagnostic("no", urn)];
    expect(foundBy("messages", { phases: [{ ...failed, printed: twice }] })).toEqual([
      "the same error twice",
    ]);
  });

  it("finds a failed step without its own message", () => {
    const phase = {
      ...failed,
      printed: [diagnostic("update failed")],
      steps: [step("create", urn, "failed")],
    };
    expect(foundBy("messages", { phases: [phase] })).toEqual([`create of ${urn} failed without a message`]);
    expect(foundBy("messages", { phases: [{ ...phase, outcome: "killed" }] })).toEqual([]);
  });
});
