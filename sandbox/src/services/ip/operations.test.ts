import { expect, test } from "vitest";
import { apiClientFor, aServer, sandboxFor } from "../../../test/api-client.js";

test("a server's address has the information of documentation addresses", async () => {
  const sandbox = await sandboxFor({ provisioning: { vpsMs: 0 } });
  const call = apiClientFor(sandbox);
  const { id } = await call("POST", "/vps/instances", aServer);
  const { ipv4, ipv6 } = Object((await call("GET", `/vps/instances/${id}`)).data);
  expect((await call("GET", `/utils/ip/${ipv4}`)).data).toEqual({
    ip: ipv4,
    type: "ipv4",
    country_code: "ZZ",
    country_name: "Documentation",
    city: "Example City",
    postal_code: "00000",
    latitude: 0,
    longitude: 0,
    asn: { number: 64496, org: "Documentation" },
    is_vpn: false,
    is_datacenter: true,
  });
  expect((await call("GET", `/utils/ip/${ipv6}`)).data).toMatchObject({ type: "ipv6", country_code: "ZZ" });
});

test("a public address has a country and nothing invented", async () => {
  const call = apiClientFor(await sandboxFor());
  expect((await call("GET", "/utils/ip/8.8.8.8")).data).toEqual({
    ip: "8.8.8.8",
    type: "ipv4",
    country_code: "US",
    country_name: "United States",
  });
  expect((await call("GET", "/utils/ip/::ffff:8.8.8.8")).data).toMatchObject({
    type: "ipv6",
    country_code: "US",
  });
});

test.each(["10.0.0.1", "127.0.0.1", "::1", "fe80::1"])(
  "%s has no country until control sets one",
  async (ip) => {
    const sandbox = await sandboxFor();
    const call = apiClientFor(sandbox);
    expect((await call("GET", `/utils/ip/${ip}`)).error).toMatchObject({ code: "RESOURCE_NOT_FOUND" });
    sandbox.setIp(ip, { country_code: "FR", country_name: "France" });
    expect((await call("GET", `/utils/ip/${ip}`)).data).toMatchObject({ country_code: "FR" });
  },
);

test("control's information about an address takes precedence, for its tenant only", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const before = (await call("GET", "/utils/ip/2001:4860::1")).data;
  expect(before).toMatchObject({ country_code: "US" });
  const known = {
    ...{
      country_code: "DE",
      country_name: "Germany",
      city: "Berlin",
      postal_code: "10115",
      latitude: 52.5,
      longitude: 13.4,
    },
    ...{ asn: { number: 64500, org: "Somebody" }, is_vpn: true, is_datacenter: false },
  };
  sandbox.setIp("2001:4860:0::1", known);
  expect((await call("GET", "/utils/ip/2001:4860::1")).data).toEqual({
    ip: "2001:4860::1",
    type: "ipv6",
    ...known,
  });
  expect((await apiClientFor(sandbox, "sandbox_other")("GET", "/utils/ip/2001:4860::1")).data).toEqual(
    before,
  );
  await sandbox.reset("local");
  expect((await call("GET", "/utils/ip/2001:4860::1")).data).toEqual(before);
});

test("an invalid address is a 400", async () => {
  const call = apiClientFor(await sandboxFor());
  for (const wrong of ["1.2.3", "example.com", "1.2.3.4%20"]) {
    expect(await call("GET", `/utils/ip/${wrong}`)).toMatchObject({
      status: 400,
      error: { field: "ip_address" },
    });
  }
});

test("control rejects an invalid address", async () => {
  const sandbox = await sandboxFor();
  for (const wrong of ["1.2.3", ":::::", "1.2.3.400"]) {
    const response = await fetch(`${sandbox.url}/_sandbox/ip/${wrong}`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ country_code: "FR", country_name: "France" }),
    });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("expected an IP address");
  }
});
