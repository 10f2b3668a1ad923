import { describe, expect, it } from "vitest";
import { checkedBaseUrl } from "./base-url.js";
import { ConfigurationError } from "./errors.js";
import { proxyIn } from "./proxies.js";

const service = checkedBaseUrl("https://api.example.com/v1");
const proxy = "http://proxy.test:3128";
const socks = "socks5://user:canary@proxy.test";

describe("the proxy of the environment", () => {
  it("is none without a variable, or with empty ones", () => {
    expect(proxyIn({}, service)).toBeUndefined();
    expect(proxyIn({ HTTPS_PROXY: "", NO_PROXY: "*" }, service)).toBeUndefined();
  });

  it("is the one for https, or else the one for http, in lower case first, an empty one too", () => {
    const other = "http://other.test";
    expect(proxyIn({ HTTPS_PROXY: proxy, http_proxy: other }, service)).toBe(proxy);
    expect(proxyIn({ http_proxy: proxy, HTTP_PROXY: other }, service)).toBe(proxy);
    expect(proxyIn({ https_proxy: "", HTTPS_PROXY: other, HTTP_PROXY: proxy }, service)).toBe(proxy);
    expect(proxyIn({ https_proxy: "", HTTPS_PROXY: proxy }, service)).toBeUndefined();
  });

  it("is http where the scheme is absent", () => {
    expect(proxyIn({ HTTPS_PROXY: "proxy.test:3128" }, service)).toBe(proxy);
  });

  it.each([
    ["*", true],
    ["a.test, API.example.com", true],
    [".example.com", true],
    ["*.example.com", true],
    ["api.example.com:443", true],
    ["api.example.com:8443", false],
    ["example.com", false],
    ["pi.example.com", false],
    ["", false],
  ])("is not used for a host in NO_PROXY: %s: %s", (list, isExcepted) => {
    expect(proxyIn({ HTTPS_PROXY: proxy, NO_PROXY: list }, service)).toBe(isExcepted ? undefined : proxy);
    expect(proxyIn({ HTTPS_PROXY: proxy, NO_PROXY: "b.test", no_proxy: list }, service)).toBe(
      isExcepted ? undefined : proxy,
    );
  });

  it.each(["http://127.0.0.1:8080/v1", "http://localhost/v1", "https://[::1]:8443/v1"])(
    "does not apply to %s, even an invalid one",
    (baseUrl) => {
      expect(proxyIn({ HTTP_PROXY: proxy, HTTPS_PROXY: "a b" }, checkedBaseUrl(baseUrl))).toBeUndefined();
    },
  );

  it("may be invalid where it is not used", () => {
    expect(proxyIn({ http_proxy: socks, no_proxy: "*" }, service)).toBeUndefined();
    expect(proxyIn({ http_proxy: socks, HTTPS_PROXY: proxy }, service)).toBe(proxy);
  });

  it.each(["http://user:canary@", socks, "http://"])(
    "is rejected by the name of its variable, without quoting it: %s",
    (address) => {
      const read = (name: string) => () => proxyIn({ [name]: address }, service);
      expect(read("https_proxy")).toThrow(ConfigurationError);
      for (const name of ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"])
        expect(read(name)).toThrow(`The environment variable ${name} is not the address of an HTTP proxy.`);
    },
  );
});
