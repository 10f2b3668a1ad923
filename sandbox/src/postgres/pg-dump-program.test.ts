import { expect, test } from "vitest";
import { applyCorrections, pgDumpProgram } from "./pg-dump-program.js";

test("the installed pg_dump is the build that the sandbox knows", async () => {
  const program = await pgDumpProgram();
  expect(Buffer.from(program.subarray(0, 4)).toString("latin1")).toBe("\0asm");
  expect(Buffer.from(program).includes("pg_dump (PostgreSQL) 16.4")).toBe(true);
});

test("any other is refused before it is run", async () => {
  const other = Uint8Array.from(await pgDumpProgram());
  expect(() => applyCorrections(other)).toThrow(/unknown build/);
});
