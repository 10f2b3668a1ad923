import { parseBaseUrl } from "cloudservices-sdk";
import { expect, it } from "vitest";
import { callableUrl, targetUrl } from "./fields.js";

it.each(["https://example.com/", "http://localhost:8080/hook", "http://127.0.0.1/", "http://[::1]:3000/"])(
  "a URL that the service calls may be %s",
  (url) => expect(callableUrl().safeParse(url).success).toBe(true),
);

it.each(["http://example.com/", "http://localhost.example.com/", "ftp://localhost/", "/hook", ""])(
  "a URL that the service calls may not be %j",
  (url) => expect(callableUrl().safeParse(url).success).toBe(false),
);

it.each(
  "localhost 127.0.0.1 127.1.2.3 [::1] tenant.localhost localhost. 0.0.0.0 10.0.0.1 [::] [::ffff:127.0.0.1] a.b".split(
    " ",
  ),
)("the sdk and the fields agree on whether %s is loopback", (host) => {
  const url = `http://${host}/`;
  expect(callableUrl().safeParse(url).success).toBe(!("problem" in parseBaseUrl(url)));
});

it.each(["https://example.com/", "http://example.com/", "mailto:team@example.com", "slack://channel?id=1"])(
  "a link may lead to %s",
  (url) => expect(targetUrl().safeParse(url).success).toBe(true),
);

it.each(["javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", "vbscript:x", "example.com", ""])(
  "a link may not lead to %j",
  (url) => expect(targetUrl().safeParse(url).success).toBe(false),
);
