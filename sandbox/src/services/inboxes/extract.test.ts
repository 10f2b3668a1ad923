import { expect, test } from "vitest";
import { extractLinks, extractOtp, makeSnippet } from "./extract.js";
import { htmlToText } from "./html-to-text.js";

test.each([
  ["", "Your code is 482913.", "482913"],
  ["", "Your verification code: 4829", "4829"],
  ["", "Enter this code:\n\n  482 913\n\nIt expires in 10 minutes.", "482913"],
  ["123456 is your login code", "Hello,\nwelcome back in 2026.", "123456"],
  ["Confirm your address", "Hello!\n\n 90210\n\nThanks", "90210"],
  ["", "Use OTP G-123456 to sign in", "G-123456"],
  ["", "Dein Kode lautet 7788", "7788"],
  ["", "Your one-time passcode is A7B9K2", "A7B9K2"],
  ["", "Your security-code: 7788", "7788"],
  ["", "Your code is 2024.", "2024"],
  ["", "mã xác nhận là 483920.", "483920"],
  ["", "Mã: 483920".normalize("NFD"), "483920"],
  ["", "Su código es 483920", "483920"],
  ["", "Use promo code SAVE20. Your login code: 483920", "483920"],
])("the one-time code of %j %j", (subject, text, code) => {
  expect(extractOtp(subject, text)).toBe(code);
});

test.each([
  ["Your invoice 20260131", "You owe 1200 EUR until 2026-01-31."],
  ["", "Click https://example.com/verify?code=123456 to go on."],
  ["", "Call us: 0123456789 or read our code of conduct."],
  ["", "The access code will follow in another mail."],
  ["", "Your discount code is save now"],
  ["", "Your order 12345678 has left. Use promo code SAVE20"],
  ["", "Please confirm your zip code 94105"],
  ["", "Read our code of conduct 1800"],
  ["Copyright", "Some Company\n2026"],
  ["", "Your password was changed on 2026-01-31, your PIN in 2026"],
  ["", `${"x".repeat(65_536)}\nYour code is 483920`],
  ["", ""],
])("there is no one-time code in %j %j", (subject, text) => {
  expect(extractOtp(subject, text)).toBeUndefined();
});

test("links come from targets and from text, each once, without the sentence around them", () => {
  const text = "See https://a.example/x?y=1. Or (https://b.example/p(1)), or https://c.example/z).";
  const hrefs = [
    "https://d.example/",
    "mailto:a@example.com",
    "javascript:alert(1)",
    "https://a.example/x?y=1",
  ];
  expect(extractLinks(text, hrefs)).toEqual([
    "https://d.example/",
    "https://a.example/x?y=1",
    "https://b.example/p(1)",
    "https://c.example/z",
  ]);
});

test.each([
  ["Reset password [https://a.example/reset?t=abc]", "https://a.example/reset?t=abc"],
  ["[here](https://a.example/x) and so on", "https://a.example/x"],
  ["See **https://a.example/x** now", "https://a.example/x"],
  ["| https://a.example/x|", "https://a.example/x"],
  ["{https://a.example/x}", "https://a.example/x"],
  ["„https://a.example/x“ “https://a.example/x”, ‘https://a.example/x’", "https://a.example/x"],
  ["«https://a.example/x»", "https://a.example/x"],
  ["https://a.example/x…", "https://a.example/x"],
  ["https://a.example/x。次", "https://a.example/x"],
  ["http://[::1]:8080/a[0]{b}", "http://[::1]:8080/a[0]{b}"],
  ["https://a.example/?q=a|b*c.", "https://a.example/?q=a|b*c"],
])("the address in %j is %j", (text, link) => {
  expect(extractLinks(text, [])).toEqual([link]);
});

test("a link's target is taken as browsers take it", () => {
  const { links } = htmlToText(
    `<A HREF=" https://a.example/x\n/y?z " href="https://b.example">y</A><a>z</a>`,
  );
  expect(links).toEqual(["https://a.example/x/y?z"]);
});

test("what is hidden ends where it ends, and a head at the body at the latest", () => {
  const page = "<head><style>p{}</style>a<title>b</title>c<body>d<script>if (a<b) '</p>'</script>e<br/>f";
  expect(htmlToText(page).text).toBe("de\nf");
});

test("the text of a page is what a reader sees of it", () => {
  const { text, links } = htmlToText(
    `<html><head><title>T</title><style>p{}</style></head><body><p>Hello&nbsp;<b>you</b></p><script>x()</script>
     <div>Go <a href="https://a.example/?a=1&amp;b=2">there</a></div></body></html>`,
  );
  expect(text).toBe("Hello you\nGo there");
  expect(links).toEqual(["https://a.example/?a=1&b=2"]);
});

/** A megabyte of it. Whatever grows faster than the text takes a quarter of an hour and more for one of these. */
const megabyte = (piece: string) => piece.repeat(Math.ceil(1_000_000 / piece.length));

test.each([
  ["blank lines", `hello${megabyte("\n")}end`],
  ["carriage returns", `hello${megabyte("\r")}end`],
  ["blanks", `hello${megabyte(" ")}end`],
  ["letters", `code ${megabyte("a")}`],
  ["words for a code", megabyte("code ")],
  ["digits", megabyte("1234567 ")],
  ["an address and exclamation marks", `http://a.example/${megabyte("!")}a`],
  ["an address and closing brackets", `http://a.example/${megabyte(")")}`],
  ["an address and brackets", `http://a.example/${megabyte("()")}.`],
  ["addresses, one a line", megabyte("http://a.example/x\n")],
  ["colons and blank lines", megabyte(":\n\n")],
])("a megabyte of %s is read in a time that grows with it and no faster", (_what, text) => {
  extractOtp("", text);
  extractLinks(text, []);
  makeSnippet(text);
});

test.each([
  ["blanks between tags", "<b> </b>"],
  ["tags without an end", "<b>"],
  ["tables without an end", "<table><tr><td>"],
  ["drawings without an end", "<svg>"],
  ["blank lines between paragraphs", "<p> </p>"],
  ["entities", "&nbsp;"],
])("a megabyte of %s is read in a time that grows with it and no faster", (_what, piece) => {
  htmlToText(`a${megabyte(piece)}${"</i>".repeat(100_000)}b`);
});

test("a snippet is one line and not too long", () => {
  expect(makeSnippet("a\n\n b")).toBe("a b");
  expect(makeSnippet("x".repeat(200))).toHaveLength(140);
});
