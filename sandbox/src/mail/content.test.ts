import { expect, test } from "vitest";
import { linksOf, otpOf, readHtml, snippetOf } from "./content.js";

test.each([
  ["", "Your code is 482913.", "482913"],
  ["", "Your verification code: 4829", "4829"],
  ["", "Enter this code:\n\n  482 913\n\nIt expires in 10 minutes.", "482913"],
  ["123456 is your login code", "Hello,\nwelcome back in 2026.", "123456"],
  ["Confirm your address", "Hello!\n\n 90210\n\nThanks", "90210"],
  ["", "Use OTP G-123456 to sign in", "G-123456"],
  ["", "Dein Kode lautet 7788", "7788"],
  ["", "Your one-time passcode is A7B9K2", "A7B9K2"],
])("the one-time code of %j %j", (subject, text, code) => {
  expect(otpOf(subject, text)).toBe(code);
});

test.each([
  ["Your invoice 20260131", "You owe 1200 EUR until 2026-01-31."],
  ["", "Click https://example.com/verify?code=123456 to go on."],
  ["", "Call us: 0123456789 or read our code of conduct."],
  ["", "The access code will follow in another mail."],
  ["", "Your discount code is save now"],
  ["", ""],
])("there is no one-time code in %j %j", (subject, text) => {
  expect(otpOf(subject, text)).toBeUndefined();
});

test("links come from targets and from text, each once, without the sentence around them", () => {
  const text = "See https://a.example/x?y=1. Or (https://b.example/p(1)), or https://c.example/z).";
  const hrefs = [
    "https://d.example/",
    "mailto:a@example.com",
    "javascript:alert(1)",
    "https://a.example/x?y=1",
  ];
  expect(linksOf(text, hrefs)).toEqual([
    "https://d.example/",
    "https://a.example/x?y=1",
    "https://b.example/p(1)",
    "https://c.example/z",
  ]);
});

test("the text of a page is what a reader sees of it", () => {
  const { text, links } = readHtml(
    `<html><head><title>T</title><style>p{}</style></head><body><p>Hello&nbsp;<b>you</b></p><script>x()</script>
     <div>Go <a href="https://a.example/?a=1&amp;b=2">there</a></div></body></html>`,
  );
  expect(text).toBe("Hello you\nGo there");
  expect(links).toEqual(["https://a.example/?a=1&b=2"]);
});

test("a snippet is one line and not too long", () => {
  expect(snippetOf("a\n\n b")).toBe("a b");
  expect(snippetOf("x".repeat(200))).toHaveLength(140);
});
