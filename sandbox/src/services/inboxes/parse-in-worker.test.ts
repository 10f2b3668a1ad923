// @module-tag slow

import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { ApiError } from "../../core/errors.js";
import { parseMail } from "./parse.js";
import { parseInWorker } from "./parse-in-worker.js";

const large = Buffer.from(`Subject: s\r\n\r\nYour code is 482913${"\r\n".repeat(200_000)}end\r\n`);

test("while a large mail is read, others have their turns", async () => {
  let isRead = false;
  const reading = parseInWorker(large).finally(() => {
    isRead = true;
  });
  let turns = 0;
  for (; !isRead; turns++) await turn();
  // On one thread there is one.
  expect(turns).toBeGreaterThan(200);
  const content = await reading;
  expect(content).toMatchObject({ subject: "s", otp_code: "482913" });
  expect(content).toEqual(await parseMail(large));
});

test("a large mail that cannot be read is refused as a small one is, and the next one is read", async () => {
  const refused = parseInWorker(Buffer.from(`X: ${"a".repeat(200_000)}\r\n\r\nx`));
  const read = parseInWorker(large);
  await expect(refused).rejects.toThrow(ApiError);
  await expect(parseInWorker(Buffer.from(`X: ${"a".repeat(200_000)}`))).rejects.toThrow(
    /cannot be parsed.*header/,
  );
  expect((await read).subject).toBe("s");
});
