import { expect, test } from "vitest";
import { exposureWarning } from "./cli-exposure.js";

test.each([undefined, "127.0.0.1", "127.0.0.2", "127.1", "::1", "0:0:0:0:0:0:0:1", "localhost", "LOCALHOST"])(
  "of a sandbox at %s there is nothing to say",
  (host) => {
    expect(exposureWarning({ ...(host !== undefined && { host }) })).toBe("");
  },
);

test.each([
  "0.0.0.0",
  "::",
  "192.168.1.7",
  "fe80::1%eth0",
  "build.example.com",
  "127.0.0.1.example.com",
  "a b",
])("at %s, one line says who gets in and to what", (host) => {
  const line = exposureWarning({ host });
  expect(line).toMatch(/^\nWarning: [^\n]+\n$/);
  expect(line).toContain(` ${host} `);
  expect(line).toMatch(/Control needs no key.*passwords, mail and secrets/);
  expect(line).not.toContain("relay");
  expect(exposureWarning({ host, allowOutbound: true })).toMatch(/^\nWarning: .* relay .*\n$/);
});
