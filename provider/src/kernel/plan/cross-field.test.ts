import { describe, expect, it } from "vitest";
import { checked, settings, settingsWith, valid } from "../../test-support/plan.js";
import type { Properties } from "../definition/properties.js";
import type { Settings } from "../settings/settings.js";
import { PlannedNames } from "./planned-names.js";

describe("check of a plan", () => {
  it("ignores a change of `adopt` after creation, and rejects it in a replacement", () => {
    expect(checked({ ...valid, adopt: "x1" }).inputs).toMatchObject({ adopt: "x1" });
    expect(checked({ ...valid, adopt: "x1" }, valid).inputs).not.toHaveProperty("adopt");
    expect(checked(valid, { ...valid, adopt: "x1" }).inputs).toMatchObject({ adopt: "x1" });
    const moved = checked({ ...valid, adopt: "x1", region: "us" }, { ...valid, adopt: "x1" });
    expect(moved.failures).toMatchObject([
      {
        code: "REPLACE_ADOPTED",
        summary: expect.stringContaining("a change of region creates a new resource"),
      },
    ]);
  });

  it("rejects a change that no documented request makes, in the mode `documented`", () => {
    const documented = settingsWith({ "cloudservices:api": "documented" });
    const change = (news: Properties, by: Settings) =>
      checked({ ...valid, ...news }, checked(valid).inputs, new PlannedNames(), by).failures;
    expect(change({ url: "https://other.test" }, documented)).toMatchObject([
      {
        code: "UPDATE_UNSUPPORTED",
        summary: "url cannot be changed",
        cause: expect.stringContaining("the specification shows no request"),
      },
    ]);
    expect(change({ loud: true }, documented)).toEqual([]);
    const abandoning = settingsWith({
      "cloudservices:api": "documented",
      "cloudservices:undeletable": "abandon",
    });
    expect(change({ url: "https://other.test" }, abandoning)).toEqual([]);
  });

  it("rejects a replacement whose predecessor cannot be deleted, in the mode `documented`", () => {
    const documented = { "cloudservices:api": "documented" };
    const move = (news: Properties, config: Record<string, string>) =>
      checked(
        { ...valid, region: "us", ...news },
        checked(valid).inputs,
        new PlannedNames(),
        settingsWith(config),
      );
    expect(move({}, documented).failures).toMatchObject([
      {
        code: "REPLACE_UNSUPPORTED",
        summary: expect.stringMatching(/^a change of region creates a new Thing, /),
        fixes: [
          { line: "restore the old value" },
          { line: expect.stringContaining("retainOnDelete: true") },
          { line: [{ command: "pulumi config set cloudservices:undeletable abandon" }] },
        ],
      },
    ]);
    // The engine applies the option that the predecessor had in the last run.
    expect(move({ __retainOnDelete: true }, documented).failures).toHaveLength(1);
    const by = settingsWith(documented);
    const retained = checked(
      { ...valid, __retainOnDelete: true },
      checked(valid).inputs,
      new PlannedNames(),
      by,
    );
    expect(retained.failures).toEqual([]);
    const moved = { ...valid, region: "us", __retainOnDelete: true };
    expect(checked(moved, retained.inputs, new PlannedNames(), by).failures).toEqual([]);
    expect(checked({ ...valid, __retainOnDelete: true }).inputs).not.toHaveProperty("__retainOnDelete");
    expect(move({}, { ...documented, "cloudservices:undeletable": "abandon" }).failures).toEqual([]);
    expect(move({}, {}).failures).toEqual([]);
  });

  it("rejects an invalid replacement that the engine has planned", () => {
    const replaced = (news: Properties, by: Settings) => {
      const names = new PlannedNames();
      checked(valid, { ...valid, name: "n" }, names, by);
      return checked({ ...valid, ...news }, {}, names, by).failures;
    };
    const [remove, readopt, leftover] = ["remove `adopt`", "state delete", "delete it at the service"].map(
      (line) => ({ line: expect.stringContaining(line) }),
    );
    expect(replaced({ adopt: "x1" }, settings)).toMatchObject([
      {
        code: "REPLACE_ADOPTED",
        summary: expect.stringContaining("cannot adopt the old one"),
        // Only under a derived name is a leftover taken over.
        fixes: [
          remove,
          readopt,
          {
            line: [
              "delete it at the service, or ",
              { command: "pulumi config set cloudservices:adoptInterrupted true" },
            ],
          },
        ],
      },
    ]);
    expect(replaced({ adopt: "x1", name: "given" }, settings)).toMatchObject([
      { fixes: [remove, readopt, leftover] },
    ]);
    expect(replaced({ adopt: "x1", name: "given" }, settings)[0]?.fixes?.[2]?.line).not.toContain(
      "adoptInterrupted",
    );
    expect(replaced({}, settings)).toEqual([]);
    const documented = settingsWith({ "cloudservices:api": "documented" });
    expect(replaced({}, documented)).toMatchObject([
      { code: "REPLACE_UNSUPPORTED", summary: expect.stringMatching(/^replacing it creates a new Thing/) },
    ]);
    expect(replaced({ __retainOnDelete: true }, documented)).toEqual([]);
  });
});
