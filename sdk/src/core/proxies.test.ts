import { describe, expect, it } from "vitest";
import { checkedBaseUrl } from "./base-url.js";
import { ConfigurationError } from "./errors.js";
import { proxiesIn } from "./proxies.js";

const service = checkedBaseUrl("https://api.example.com/v1");
const proxy = "http://proxy.test:3128";

describe("the proxies of the environment", () => {
  it("are none without a variable, or with empty ones", () => {
    expect(proxiesIn({}, service)).toBeUndefined();
    expect(proxiesIn({ HTTPS_PROXY: "", NO_PROXY: "*" }, service)).toBeUndefined();
  });

  it("are read in both spellings, the lower-case one first, an empty one too", () => {
    expect(proxiesIn({ HTTPS_PROXY: proxy }, service)).toEqual({
      httpProxy: "",
      httpsProxy: proxy,
      noProxy: "",
    });
    const both = { http_proxy: proxy, HTTP_PROXY: "http://other.test", no_proxy: "a", NO_PROXY: "b" };
    expect(proxiesIn(both, service)).toEqual({ httpProxy: proxy, httpsProxy: "", noProxy: "a" });
    expect(proxiesIn({ https_proxy: "", HTTPS_PROXY: proxy }, service)).toBeUndefined();
  });

  it("are http where the scheme is absent", () => {
    expect(proxiesIn({ HTTPS_PROXY: "proxy.test:3128" }, service)).toMatchObject({ httpsProxy: proxy });
  });

  it.each(["http://127.0.0.1:8080/v1", "http://localhost/v1", "https://[::1]:8443/v1"])(
    "do not apply to %s, even invalid ones",
    (baseUrl) => {
      expect(proxiesIn({ HTTP_PROXY: proxy, HTTPS_PROXY: "a b" }, checkedBaseUrl(baseUrl))).toBeUndefined();
    },
  );

  it.each(["http://user:canary@", "socks5://user:canary@proxy.test", "http://"])(
    "are rejected without quoting them: %s",
    (address) => {
      const read = () => proxiesIn({ https_proxy: address }, service);
      expect(read).toThrow(ConfigurationError);
      expect(read).toThrow("The environment variable HTTPS_PROXY is not the address of an HTTP proxy.");
    },
  );
});
