import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ValidationError } from "./errors.js";
import { buildPath, checkHeaders, checkInput } from "./validate.js";

const label = { call: "links.create", method: "POST", path: "/shortener/links" } as const;

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
  it("reports every wrong field at once with the allowed values, and never quotes a value", () => {
    const schema = z.strictObject({
      action: z.enum(["start", "stop"]),
      ports: z.array(z.int()),
      passcode: z.string(),
    });
    const run = () =>
      checkInput(schema, { action: "hunter2", ports: [1, "hunter2"], passcode: 5, extra: "hunter2" }, label);
    expect(issuesOf(run)).toEqual([
      { field: "action", message: "expected one of start, stop", allowed: ["start", "stop"] },
      { field: "ports[1]", message: "expected number, received string" },
      { field: "passcode", message: "expected string, received number" },
      { field: "extra", message: "is not a field of this call" },
    ]);
    expect(run).toThrow(/nothing was sent/);
    expect(run).not.toThrow(/hunter2/);
  });
});

describe("an identifier", () => {
  it("cannot lead to another path", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (id) => {
        let path: string;
        try {
          path = buildPath("/databases/:id/backup-schedule", { id }, label);
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
    "%j is rejected",
    (id) => {
      expect(issuesOf(() => buildPath("/databases/:id", { id }, label))).toMatchObject([{ field: "id" }]);
    },
  );
});

describe("a custom header", () => {
  it("is added", () => {
    expect(checkHeaders({ "X-Trace": "1" }, label)).toEqual({ "x-trace": "1" });
  });

  it.each(["Authorization", "host", "Content-Length", "bad name", ""])("%j is rejected", (name) => {
    expect(issuesOf(() => checkHeaders({ [name]: "1" }, label))).toHaveLength(1);
  });

  it("cannot inject another header", () => {
    expect(issuesOf(() => checkHeaders({ "x-trace": "1\r\nx-other: 2" }, label))).toHaveLength(1);
  });
});
