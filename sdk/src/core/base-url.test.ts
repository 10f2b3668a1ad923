import { describe, expect, it } from "vitest";
import { checkedBaseUrl, parseBaseUrl } from "./base-url.js";
import { ConfigurationError } from "./errors.js";

describe("the base URL", () => {
  it.each([
    ["https://api.example.com/v1", "https://api.example.com/v1"],
    ["https://api.example.com/v1/", "https://api.example.com/v1"],
    ["https://API.example.com:443/v1//", "https://api.example.com/v1"],
    ["  https://api.example.com  ", "https://api.example.com"],
    ["http://localhost:8080/v1", "http://localhost:8080/v1"],
    ["http://127.0.0.1:9/v1", "http://127.0.0.1:9/v1"],
    ["http://127.255.0.3/v1", "http://127.255.0.3/v1"],
    ["http://[::1]:9/v1", "http://[::1]:9/v1"],
  ])("%s becomes %s", (given, used) => {
    expect(checkedBaseUrl(given).href).toBe(used);
  });

  it.each([
    "http://api.example.com/v1",
    "http://127.0.0.1.example.com/v1",
    "http://localhost.example.com/v1",
    // Loopback by RFC 6761, but many resolvers ask a name server for it.
    "http://tenant.localhost/v1",
    "http://localhost./v1",
    "http://10.0.0.1/v1",
    "http://0.0.0.0/v1",
    "ftp://api.example.com/v1",
    "api.example.com/v1",
    "/v1",
    "",
    "https://api.example.com/v1?key=secret-in-query",
    "https://api.example.com/v1#part",
  ])("%s is rejected", (given) => {
    expect(() => checkedBaseUrl(given)).toThrow(ConfigurationError);
  });

  it("errors never quote credentials in the URL", () => {
    expect(() => checkedBaseUrl("https://user:hunter2@api.example.com/v1")).toThrow(/user name or password/);
    expect(() => checkedBaseUrl("https://user:hunter2@api.example.com/v1")).not.toThrow(/hunter2/);
  });

  it.each([
    ["nonsense", { problem: "notAbsolute" }],
    ["https://user@api.example.com/v1", { problem: "credentials" }],
    ["https://:word@api.example.com/v1", { problem: "credentials" }],
    ["https://api.example.com/v1?", { href: "https://api.example.com/v1" }],
    ["https://api.example.com/v1?a", { problem: "query" }],
    ["https://api.example.com/v1#a", { problem: "query" }],
    ["http://api.example.com:81/v1", { problem: "unencrypted", host: "api.example.com:81" }],
    ["ftp://api.example.com/v1", { problem: "scheme", scheme: "ftp:" }],
  ])("parseBaseUrl reports the problem of %s", (given, parsed) => {
    expect(parseBaseUrl(given)).toMatchObject(parsed);
  });

  it("is split into origin and path prefix", () => {
    expect(checkedBaseUrl("https://api.example.com:8443/cloud/v1/")).toEqual({
      href: "https://api.example.com:8443/cloud/v1",
      origin: "https://api.example.com:8443",
      prefix: "/cloud/v1",
    });
  });
});
