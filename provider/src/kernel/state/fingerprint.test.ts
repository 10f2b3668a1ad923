import { expect, it } from "vitest";
import { readSettings } from "../settings/read-settings.js";
import { fingerprint } from "./fingerprint.js";

const settings = (apiKey: string, baseUrl = "https://api.example.com/v1") =>
  readSettings((name) => ({ "cloudservices:apiKey": apiKey, "cloudservices:baseUrl": baseUrl })[name], {});

it("distinguishes keys without revealing them", () => {
  const one = fingerprint(settings("key-1"));
  expect(one).toBe(fingerprint(settings("key-1", "https://moved.example.com/v1")));
  expect(one).not.toBe(fingerprint(settings("key-2")));
  expect(one).not.toContain("key-1");
});
