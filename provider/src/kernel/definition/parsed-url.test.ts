import { expect, test } from "vitest";
import { parsedUrl } from "./parsed-url.js";

test("an address with other letters than ASCII stays valid after thousands of calls", () => {
  for (let at = 0; at < 20_000; at += 1) parsedUrl(`https://example.com/${at}`);
  expect(parsedUrl("https://münchen.example/")?.hostname).toBe("xn--mnchen-3ya.example");
});

test("a value that is no absolute URL has no parsed form", () => {
  expect(parsedUrl("/page")).toBeUndefined();
  expect(parsedUrl(1)).toBeUndefined();
});
