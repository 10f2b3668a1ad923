import { expect, test } from "vitest";
import { pgDumpProgram } from "./pg-dump-program.js";
import { message } from "./protocol.js";
import { type Files, runWasi } from "./wasi.js";

const program = await pgDumpProgram();

async function run(args: readonly string[], onYield: (files: Files) => void = () => {}) {
  let errors = "";
  const complain = (bytes: Uint8Array) => {
    errors += Buffer.from(bytes).toString();
  };
  const folder = "/tmp/pglite/base";
  const code = await runWasi(program, {
    arguments: ["pg_dump", ...args],
    folder,
    passed: {},
    complain,
    onYield,
  });
  return { code, errors };
}

test("a program gets its arguments, and its exit code and complaint come back", async () => {
  expect(await run(["--version"])).toMatchObject({ code: 0 });
  const { code, errors } = await run(["--nonsense"]);
  expect(code).toBe(1);
  expect(errors).toMatch(/unrecognized option.*nonsense/);
});

test("it asks and is answered through files, when it gives way", async () => {
  const questions: string[] = [];
  const ready = message("Z", Buffer.from("I"));
  const answers = [
    Buffer.concat([message("R", 0), message("S", "server_version", "16.14"), ready]),
    Buffer.concat([message("E", Buffer.from("SERROR\0C42000\0Mno such thing\0\0")), ready]),
  ];
  const { code, errors } = await run(["-U", "postgres", "guest"], (files) => {
    questions.push(Buffer.from(files.take(".s.PGSQL.5432.in") ?? []).toString("latin1"));
    files.put(".s.PGSQL.5432.out", answers[questions.length - 1] ?? ready);
  });
  expect(questions[0]).toMatch(/user\0postgres\0database\0guest\0/);
  expect(code).toBe(1);
  expect(errors).toMatch(/query failed: ERROR: +no such thing/);
});
