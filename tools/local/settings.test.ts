import { expect, it } from "vitest";
import { changesOf } from "./settings.mjs";

const plain = (settings: Record<string, string>) =>
  Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, { value, secret: false }]));
// As `pulumi config --json` prints a secret.
const secret = { secret: true };
const nothing = { set: [], removed: [], skipped: [] };

it("gives a new stack the settings of the file", () => {
  expect(changesOf({ before: {}, wanted: plain({ "app:domain": "file" }), present: {} })).toEqual({
    ...nothing,
    set: [["app:domain", "file"]],
  });
});

it("keeps what the user set, added and removed in the stack", () => {
  const file = plain({ "app:domain": "file", "app:region": "eu", "app:plan": "small" });
  const present = plain({ "app:domain": "user", "app:region": "eu", "app:receiver": "user" });
  expect(changesOf({ before: file, wanted: file, present })).toEqual(nothing);
  expect(
    changesOf({ before: { ...file, ...plain({ "app:receiver": "file" }) }, wanted: file, present }),
  ).toEqual(nothing);
});

it("takes only what changed in the file", () => {
  const present = plain({ "app:domain": "user", "app:region": "eu", "app:receiver": "file" });
  expect(
    changesOf({
      before: plain({ "app:domain": "file", "app:region": "eu", "app:receiver": "file" }),
      wanted: plain({ "app:domain": "file", "app:region": "us" }),
      present,
    }),
  ).toEqual({ ...nothing, set: [["app:region", "us"]], removed: ["app:receiver"] });
});

it("skips secrets of the file or the stack, and the address and key of the service", () => {
  const present = { ...plain({ "cloudservices:baseUrl": "sandbox" }), "app:webhookSecret": secret };
  const wanted = {
    ...plain({ "cloudservices:baseUrl": "real", "app:webhookSecret": "plain" }),
    "app:token": secret,
  };
  expect(changesOf({ before: {}, wanted, present })).toEqual({ ...nothing, skipped: Object.keys(wanted) });
  expect(changesOf({ before: wanted, wanted: {}, present })).toEqual(nothing);
});
