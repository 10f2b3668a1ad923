import { expect, test } from "vitest";
import { visitorAddress } from "./visitor.js";

test.each([
  ["the address of a proxy's visitor", "127.0.0.1", "8.8.8.8", "8.8.8.8"],
  ["what the proxy added, not what the visitor claimed", "127.0.0.1", "1.1.1.1, 8.8.8.8", "8.8.8.8"],
  ["the visitor behind two proxies of this machine", "::1", "8.8.8.8, 127.0.0.1", "8.8.8.8"],
  ["IPv6 in its one spelling", "::ffff:127.0.0.1", "2001:4860:0:0::8888", "2001:4860::8888"],
  ["an IPv4 address written as IPv6", "127.0.0.1", "::ffff:8.8.8.8", "8.8.8.8"],
])("of a peer on this machine is believed: %s", (_what, peer, forwarded, address) => {
  expect(visitorAddress(peer, forwarded)).toBe(address);
});

test.each(["192.0.2.9", "10.0.0.1", "::ffff:192.0.2.9", "2001:db8::1"])(
  "of %s, which is another machine, nothing is believed",
  (peer) => expect(visitorAddress(peer, "8.8.8.8")).toBe(peer),
);

test.each([undefined, "", "unknown", "8.8.8.8, unknown", "8.8.8.8:1234", "127.0.0.1"])(
  "a header %s that names no address leaves the peer",
  (forwarded) => expect(visitorAddress("127.0.0.1", forwarded)).toBe("127.0.0.1"),
);
