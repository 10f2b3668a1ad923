import { expect, test } from "vitest";
import { aServer, callerFor, sandboxFor } from "../../test/caller.js";

test("a server's own address is known, as one that is for documentation", async () => {
  const sandbox = await sandboxFor({ provisioning: { vpsMs: 0 } });
  const call = callerFor(sandbox);
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

test("other addresses are known when control told of them, to their tenant alone", async () => {
  const sandbox = await sandboxFor();
  const call = callerFor(sandbox);
  expect((await call("GET", "/utils/ip/2a00:1::1")).error?.code).toBe("RESOURCE_NOT_FOUND");
  const told = {
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
  sandbox.setIp("2a00:0001:0::1", told);
  expect((await call("GET", "/utils/ip/2a00:1::1")).data).toEqual({ ip: "2a00:1::1", type: "ipv6", ...told });
  expect((await callerFor(sandbox, "sandbox_other")("GET", "/utils/ip/2a00:1::1")).status).toBe(404);
  await sandbox.reset("local");
  expect((await call("GET", "/utils/ip/2a00:1::1")).status).toBe(404);
});

test("what is no address is refused", async () => {
  const call = callerFor(await sandboxFor());
  for (const wrong of ["1.2.3", "example.com", "1.2.3.4%20"]) {
    expect(await call("GET", `/utils/ip/${wrong}`)).toMatchObject({
      status: 400,
      error: { field: "ip_address" },
    });
  }
});
