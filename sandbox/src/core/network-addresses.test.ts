import { expect, test } from "vitest";
import { isThisMachine } from "./network-addresses.js";

test.each(["127.0.0.1", "127.255.255.254", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1", "::ffff:7f00:1"])(
  "a connection to %s arrives here",
  (address) => expect(isThisMachine(address)).toBe(true),
);

test.each(["192.0.2.1", "2001:db8::1", "::ffff:192.0.2.1", "126.255.255.255", "128.0.0.1"])(
  "a connection to %s leaves this machine",
  (address) => expect(isThisMachine(address)).toBe(false),
);
