import { expect, test } from "vitest";
import { isLoopback, isThisMachine } from "./network-addresses.js";

test.each(["127.0.0.1", "127.255.255.254", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1", "::ffff:7f00:1"])(
  "a connection to %s arrives here",
  (address) => expect(isThisMachine(address)).toBe(true),
);

test.each(["192.0.2.1", "2001:db8::1", "::ffff:192.0.2.1", "126.255.255.255", "128.0.0.1"])(
  "a connection to %s leaves this machine",
  (address) => expect(isThisMachine(address)).toBe(false),
);

test("only unambiguous loopback names count as this machine", () => {
  expect(["localhost", "127.0.0.1", "127.9.9.9", "[::1]"].every(isLoopback)).toBe(true);
  expect(
    ["127.0.0.1.example.com", "localhost.example.com", "10.0.0.1", "[::]", "0.0.0.0", "2130706433"].some(
      isLoopback,
    ),
  ).toBe(false);
});
