import { expect, test } from "vitest";
import { Countries, countryOf } from "./countries.js";

const countries = new Countries();

test.each([
  ["193.0.6.139", "NL", "Netherlands"],
  ["133.11.0.1", "JP", "Japan"],
  ["2001:4860:4860::8888", "US", "United States"],
  ["2804:10::1", "BR", "Brazil"],
])("the network of %s is in %s", async (ip, code, name) => {
  expect(await countries.of(ip)).toEqual({ code, name });
});

test.each([
  ...["0.0.0.1", "10.0.0.1", "100.64.0.1", "127.0.0.1", "169.254.1.1", "172.16.0.1", "172.31.255.255"],
  ...["192.168.1.1", "198.18.0.1", "192.0.2.1", "224.0.0.1", "255.255.255.255"],
  ...["::", "::1", "64:ff9b::808:808", "100::1", "2001:db8::1", "2002:808:808::1", "3fff::1"],
  ...["fc00::1", "fe80::1", "ff02::1"],
])("%s is nowhere, being for no network in particular", async (ip) => {
  expect(await countries.of(ip)).toBeUndefined();
});

test("what is no country has none, however the data writes it", () => {
  for (const code of ["EU", "AP", "", "None", "??"]) expect(countryOf(code)).toBeUndefined();
  expect(countryOf("TR")).toEqual({ code: "TR", name: "Türkiye" });
});
