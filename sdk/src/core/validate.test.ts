import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ValidationError } from "./errors.js";
import { filledPath, validHeaders, validInput } from "./validate.js";

const told = { call: "links.create", method: "POST", path: "/shortener/links" } as const;

function issuesOf(run: () => unknown) {
  try {
    run();
  } catch (error) {
    if (error instanceof ValidationError) return error.issues;
    throw error;
  }
  return [];
}

describe("an input", () => {
  it("is told every wrong field at once, with what is allowed, and never a value", () => {
    const schema = z.strictObject({
      action: z.enum(["start", "stop"]),
      ports: z.array(z.int()),
      passcode: z.string(),
    });
    const run = () =>
      validInput(schema, { action: "hunter2", ports: [1, "hunter2"], passcode: 5, extra: "hunter2" }, told);
    expect(issuesOf(run)).toEqual([
      { field: "action", message: "expected one of start, stop", allowed: ["start", "stop"] },
      { field: "ports[1]", message: "expected number, received string" },
      { field: "passcode", message: "expected string, received number" },
      { field: "extra", message: "is no field of this call" },
    ]);
    expect(run).toThrow(/nothing was sent/);
    expect(run).not.toThrow(/hunter2/);
  });
});

describe("an identifier", () => {
  it("can never lead to another path", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (id) => {
        let path: string;
        try {
          path = filledPath("/databases/:id/backup-schedule", { id }, told);
        } catch (error) {
          expect(error).toBeInstanceOf(ValidationError);
          return;
        }
        const url = new URL(path, "https://api.example.com");
        expect(url.pathname).toBe(path);
        expect(path.split("/")).toHaveLength(4);
        expect(decodeURIComponent(path.split("/")[2] ?? "")).toBe(id);
      }),
    );
  });

  it.each(["", ".", "..", "../x", "a/..", "a/b", "/", "..\\x", "a\\b", "a\nb", "\ud800", undefined, null, 7])(
    "%j is refused",
    (id) => {
      expect(issuesOf(() => filledPath("/databases/:id", { id }, told))).toMatchObject([{ field: "id" }]);
    },
  );
});

describe("a header of the caller's", () => {
  it("is added", () => {
    expect(validHeaders({ "X-Trace": "1" }, told)).toEqual({ "x-trace": "1" });
  });

  it.each(["Authorization", "host", "Content-Length", "bad name", ""])("%j is refused", (name) => {
    expect(issuesOf(() => validHeaders({ [name]: "1" }, told))).toHaveLength(1);
  });

  it("cannot bring another with it", () => {
    expect(issuesOf(() => validHeaders({ "x-trace": "1\r\nx-other: 2" }, told))).toHaveLength(1);
  });
});
