import { describe, expect, it } from "vitest";
import { FakeClock } from "../testing/fake-clock.js";
import { aPost, aResponse } from "../testing/requests.js";
import { withDebugLog } from "./debug-log.js";
import { type LogLevel, logTo } from "./log.js";

function recorder() {
  const lines: { level: string; message: string; fields: Record<string, unknown> }[] = [];
  const at = (level: string) => (message: string, fields: Record<string, unknown>) =>
    void lines.push({ level, message, fields });
  return { lines, error: at("error"), warn: at("warn"), info: at("info"), debug: at("debug") };
}

describe("a logger", () => {
  it.each<[LogLevel, string[]]>([
    ["off", []],
    ["error", ["error"]],
    ["warn", ["error", "warn"]],
    ["info", ["error", "warn", "info"]],
    ["debug", ["error", "warn", "info", "debug"]],
  ])("at level %s logs %j", (level, logged) => {
    const logger = recorder();
    const log = logTo(logger, level);
    for (const one of ["error", "warn", "info", "debug"] as const) log[one]("m", {});
    expect(logger.lines.map(({ level }) => level)).toEqual(logged);
  });

  it("does not fail a request when it throws", () => {
    const failing = () => {
      throw new Error("disk full");
    };
    const log = logTo({ error: failing, warn: failing, info: failing, debug: failing }, "debug");
    expect(() => log.info("m", {})).not.toThrow();
  });
});

describe("the debug log", () => {
  it("logs each request and response with its body, without secrets", async () => {
    const logger = recorder();
    const clock = new FakeClock();
    const response = aResponse(201, {
      status: "success",
      data: { id: "db_1", connection_uri: "postgres://u:hunter2@h" },
    });
    const step = withDebugLog(async () => response, logTo(logger, "debug"), clock);
    const request = aPost({
      headers: { authorization: "Bearer sk_live_1" },
      body: JSON.stringify({ name: "main", passcode: "open sesame" }),
    });
    expect(await step(request)).toBe(response);
    expect(logger.lines.map(({ message }) => message)).toEqual([
      "POST /databases: sending",
      "POST /databases: 201",
    ]);
    const all = JSON.stringify(logger.lines);
    expect(all).toContain("main");
    expect(all).toContain("db_1");
    for (const secret of ["sk_live_1", "hunter2", "open sesame"]) expect(all).not.toContain(secret);
  });

  it("logs no secret that the service quotes", async () => {
    const logger = recorder();
    const error = { code: "BAD", message: "The passcode open sesame is too weak for sk_live_1." };
    const step = withDebugLog(
      async () => aResponse(400, { status: "error", error }),
      logTo(logger, "debug"),
      new FakeClock(),
    );
    await step(
      aPost({
        headers: { authorization: "Bearer sk_live_1" },
        body: JSON.stringify({ passcode: "open sesame" }),
      }),
    );
    const all = JSON.stringify(logger.lines);
    expect(all).toContain("The passcode [secret] is too weak for [secret].");
    for (const secret of ["sk_live_1", "open sesame"]) expect(all).not.toContain(secret);
  });

  it("logs only the length of a body that is no JSON", async () => {
    const logger = recorder();
    const response = aResponse(200, '{"data":{"connection_uri":"postgres://u:hunter2');
    await withDebugLog(async () => response, logTo(logger, "debug"), new FakeClock())(aPost());
    expect(JSON.stringify(logger.lines)).not.toContain("hunter2");
  });

  it("is left out of the pipeline without a logger", () => {
    const step = async () => aResponse(200, "");
    expect(withDebugLog(step, logTo(undefined, "debug"), new FakeClock())).toBe(step);
    expect(withDebugLog(step, logTo(recorder(), "info"), new FakeClock())).toBe(step);
  });
});
