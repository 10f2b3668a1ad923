import { expect, it } from "vitest";
import { passwordIn } from "./password-in.js";

it.each([
  ["postgresql://app:s3cret@db.test/app", "s3cret"],
  ["postgresql://app:50%25%40@db.test/app", "50%@"],
  ["postgresql://app@db.test/app", undefined],
  ["not a URI", undefined],
  [undefined, undefined],
])("the password in %s is %s", (uri, password) => {
  expect(passwordIn(uri)).toBe(password);
});
