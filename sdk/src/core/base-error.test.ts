import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { afterAttempts, branded, CloudServicesError } from "./base-error.js";
import { ConflictError, NotFoundError, RouteMissingError, ValidationError } from "./errors.js";

const facts = { message: "m", outcome: "rejected", method: "GET", path: "/x", status: 404 } as const;

describe("an error", () => {
  it("is an instance of its class and of the base class only", () => {
    const error = new NotFoundError(facts);
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toBeInstanceOf(CloudServicesError);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(ConflictError);
    expect(new Error("m")).not.toBeInstanceOf(CloudServicesError);
    expect(undefined).not.toBeInstanceOf(CloudServicesError);
  });

  it("is an instance across two copies of the package", () => {
    class Twin extends Error {}
    branded(Twin, "CloudServicesError");
    class TwinOfNotFound extends Twin {}
    branded(TwinOfNotFound, "NotFoundError");
    expect(new TwinOfNotFound()).toBeInstanceOf(NotFoundError);
    expect(new TwinOfNotFound()).toBeInstanceOf(CloudServicesError);
    expect(new Twin()).not.toBeInstanceOf(NotFoundError);
    expect(new NotFoundError(facts)).toBeInstanceOf(Twin);
  });

  it("does not match a subclass of the caller's own", () => {
    class MineOnly extends NotFoundError {}
    expect(new MineOnly(facts)).toBeInstanceOf(MineOnly);
    expect(new MineOnly(facts)).toBeInstanceOf(NotFoundError);
    expect(new NotFoundError(facts)).not.toBeInstanceOf(MineOnly);
  });

  it("isProvenAbsent is true for NotFoundError only", () => {
    expect(new NotFoundError(facts).isProvenAbsent).toBe(true);
    expect(new RouteMissingError(facts).isProvenAbsent).toBe(false);
  });

  it("has no members that are unknown", () => {
    const error = new NotFoundError({ ...facts, requestId: undefined });
    expect(Object.keys(error)).not.toContain("requestId");
    expect(inspect(error)).not.toContain("undefined");
  });

  it("becomes JSON without its stack and cause", () => {
    const error = new ValidationError({ message: "m", cause: new Error("inner") }, [
      { field: "a", message: "b" },
    ]);
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: "ValidationError",
      message: "m",
      code: "REQUEST_INVALID",
      outcome: "notSent",
      issues: [{ field: "a", message: "b" }],
    });
  });

  it("keeps advice and message apart, and prints both", () => {
    const error = new NotFoundError({ ...facts, message: "It does not exist.", advice: "Check the id." });
    expect(error.message).toBe("It does not exist.");
    expect(error.advice).toBe("Check the id.");
    expect(String(error)).toBe("NotFoundError: It does not exist. Check the id.");
    expect(inspect(error)).toContain("advice: 'Check the id.'");
    expect(error.toJSON()).toMatchObject({ message: "It does not exist.", advice: "Check the id." });
    expect(String(new NotFoundError(facts))).toBe("NotFoundError: m");
  });

  it("afterAttempts adds to the same error", () => {
    const error = new NotFoundError(facts);
    expect(afterAttempts(error, { attempts: 3, ambiguous: true, resourceId: "x_1" })).toBe(error);
    expect(error).toMatchObject({ attempts: 3, outcome: "ambiguous", resourceId: "x_1" });
  });
});
