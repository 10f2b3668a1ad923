import * as pulumi from "@pulumi/pulumi";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checked, inputs, settingsWith, urn, valid } from "../../test-support/plan.js";
import { UNKNOWN } from "../definition/properties.js";
import { PlannedNames } from "./planned-names.js";

describe("check", () => {
  it("fills in defaults and derived names", () => {
    const name = expect.stringMatching(/^thing-\w{7}$/);
    expect(checked(valid).inputs).toEqual({
      ...valid,
      __urn: "dev::shop::*::thing",
      count: 1,
      name,
      __name: name,
    });
  });

  it("reports every invalid field at once, with the allowed values and the nearest match", () => {
    const { failures } = checked({ size: "smal", url: "ftp://x", count: 10, titel: 1, __urn: urn });
    expect(failures).toMatchObject([
      { code: "INPUT_UNKNOWN", summary: 'Thing has no input "titel"' },
      { code: "INPUT_INVALID", summary: "url (ftp://x/…) must be an absolute http or https URL" },
      {
        code: "INPUT_UNLISTED",
        summary: 'size "smal" is not in the specification\'s list',
        cause: "the specification lists small, large.",
        fixes: [
          { line: '"small"' },
          { line: [{ command: "pulumi config set cloudservices:allowUnlisted true" }] },
        ],
      },
      { code: "INPUT_INVALID", summary: "region is required" },
      { code: "INPUT_INVALID", summary: "count (10) must be a whole number from 1 to 9" },
    ]);
  });

  it.each([
    ["url", `http://${pulumi.output("host")}/`],
    ["name", JSON.stringify({ host: String(pulumi.output("host")) })],
    ["tags", [`a-${pulumi.output("host")}`]],
    ["secret", "x Calling __str__ on an Output[T] is not supported.\n\nTo get"],
  ])("reports an Output that became a text: %s", (field, value) => {
    expect(checked({ ...valid, [field]: value }).failures).toMatchObject([
      { code: "INPUT_INVALID", summary: `${field} contains an Output as text, not its value` },
    ]);
  });

  it("never shows the value of a secret", () => {
    const { failures } = checked({ ...valid, secret: 5 });
    expect(failures).toEqual([{ code: "INPUT_INVALID", summary: "secret must be a string" }]);
  });

  it("accepts unknown values", () => {
    const { inputs, failures } = checked({ ...valid, url: UNKNOWN, tags: ["a", UNKNOWN], region: UNKNOWN });
    expect(failures).toEqual([]);
    expect(inputs).toMatchObject({ url: UNKNOWN, tags: ["a", UNKNOWN], region: UNKNOWN });
  });

  it("accepts unlisted values, with a warning when they are new", () => {
    const huge = { ...valid, size: "huge" };
    expect(checked(huge)).toMatchObject({
      failures: [],
      notes: [
        'size "huge" is not in the specification\'s list (small, large): the service decides whether it exists.',
      ],
    });
    expect(checked(huge, huge).notes).toEqual([]);
    expect(checked(valid).notes).toEqual([]);
  });

  it("accepts a misspelt value without a warning when the stack allows unlisted values", () => {
    const lenient = settingsWith({ "cloudservices:allowUnlisted": "true" });
    const { failures, notes } = checked({ ...valid, size: "smal" }, {}, new PlannedNames(), lenient);
    expect([failures, notes]).toEqual([[], []]);
  });

  it("keeps the old spelling when the new one is equivalent", () => {
    const old = { ...valid, until: "2027-01-01T00:00:00Z", tags: ["a", "b"] };
    const { inputs } = checked({ ...valid, until: "2027-01-01T01:00:00+01:00", tags: ["b", "a"] }, old);
    expect(inputs).toMatchObject({ until: old.until, tags: old.tags });
  });

  it("treats an empty list like no list, whichever the state has", () => {
    const without = checked(valid).inputs;
    expect(checked({ ...valid, tags: [], keys: [] }, without).inputs).toEqual(without);
    const empty = checked({ ...valid, tags: [], keys: [] }).inputs;
    expect(empty).toMatchObject({ tags: [], keys: [] });
    expect(checked(valid, empty).inputs).toEqual(empty);
    expect(checked({ ...valid, keys: ["a"] }, empty).inputs).toMatchObject({ keys: ["a"], tags: [] });
    expect(checked(valid, { ...valid, keys: ["a"] }).inputs).not.toHaveProperty("keys");
  });

  it("keeps the name of an existing resource", () => {
    expect(checked(valid, { ...valid, name: "by-hand" }).inputs).toMatchObject({ name: "by-hand" });
  });

  it("restores a derived name that was changed by hand, and keeps a given one", () => {
    const created = checked(valid).inputs;
    expect(checked(valid, { ...created, name: "by-hand" }).inputs).toEqual(created);
    const named = checked({ ...valid, name: "mine" }, created).inputs;
    expect(named).not.toHaveProperty("__name");
    expect(checked(valid, named).inputs).toMatchObject({ name: "mine" });
  });

  it("fills in no default for an input that an adopting program omits", () => {
    const adopted = checked({ ...valid, adopt: "x1" }).inputs;
    expect(adopted).not.toHaveProperty("count");
    expect(checked(valid, adopted).inputs).not.toHaveProperty("count");
  });

  it("keeps the name of an adopted resource", () => {
    const adopted = checked({ ...valid, adopt: "x1" }).inputs;
    expect(adopted).not.toHaveProperty("name");
    expect(checked(valid, adopted).inputs).not.toHaveProperty("name");
  });

  it("derives a new name for a replacement, the same in preview and up", () => {
    const plan = () => {
      const names = new PlannedNames();
      const first = checked(valid, { ...valid, name: "thing-0000000" }, names).inputs["name"];
      return [first, checked(valid, {}, names).inputs["name"]];
    };
    const [kept, successor] = plan();
    expect(kept).toBe("thing-0000000");
    expect(successor).not.toBe(kept);
    expect(successor).not.toBe(checked(valid).inputs["name"]);
    expect(plan()).toEqual([kept, successor]);
  });

  it("derives a new name for the replacement of an adopted resource, which may have the first one", () => {
    const plan = () => {
      const names = new PlannedNames();
      const adopted = checked({ ...valid, adopt: "x1" }).inputs;
      expect(checked({ ...valid, region: "us" }, adopted, names).failures).toEqual([]);
      return checked({ ...valid, region: "us" }, {}, names).inputs["name"];
    };
    expect(plan()).toMatch(/^thing-/);
    expect(plan()).not.toBe(checked(valid).inputs["name"]);
    expect(plan()).toBe(plan());
  });

  it("stores the current URN of a moved resource", () => {
    const { inputs } = checked({ ...valid, __urn: `${urn}-renamed` }, { ...valid, name: "n" });
    expect(inputs).toMatchObject({ __urn: "dev::shop::*::thing-renamed", name: "n" });
  });

  it("reports only the constructor's failures if there are any", () => {
    const refused = [
      { code: "PROGRAM_INVALID", summary: "no id" },
      { code: "CONFIG_INVALID", summary: "no such setting", fixes: [{ line: "remove it" }] },
    ];
    const { inputs, failures } = checked({ __refused: refused, __urn: urn });
    expect(failures).toEqual(refused);
    expect(inputs).toEqual({});
  });

  it("adds no newer defaults to a resource of an earlier version", () => {
    const old = { ...valid, __urn: "dev::shop::*::thing", name: "n" };
    expect(checked(valid, old).inputs).toEqual(old);
  });

  it("is idempotent", () => {
    fc.assert(
      fc.property(inputs, (news) => {
        const once = checked({ ...news, __urn: urn }).inputs;
        expect(checked(once, once)).toEqual({ inputs: once, failures: [], notes: [] });
      }),
    );
  });
});
