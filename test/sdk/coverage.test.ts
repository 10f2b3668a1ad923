import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { operations } from "cloudservices-sdk";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const text = (path: string) => readFileSync(`${root}/${path}`, "utf8");

/** The file with the test of each call: the title of the test begins with the name of the call. */
const tests = new Map(
  readdirSync(`${root}/test/sdk`)
    .filter((file) => file.endsWith(".test.ts"))
    .flatMap((file) =>
      [...text(`test/sdk/${file}`).matchAll(/it\("(\w+\.\w+): /g)].map(
        ([, call = ""]) => [call, file] as const,
      ),
    ),
);

/** The rows of the contract between the rooms. */
const agreed = [...text("docs/api-coverage.md").matchAll(/^\| `([A-Z]+) (\/[^`?]*)[^`]*` \| (\w+) \|/gm)].map(
  ([, method, path, basis]) => ({ method, path: path?.replaceAll(/:\w+/g, ":"), basis }),
);

describe("the endpoints", () => {
  it("are exactly those of the agreed table, on the same basis", () => {
    expect(agreed.length).toBeGreaterThan(30);
    const offered = operations.map(({ method, path, basis }) => ({
      method,
      path: path.replaceAll(/:\w+/g, ":"),
      basis,
    }));
    expect(new Set(offered.map((one) => JSON.stringify(one)))).toEqual(
      new Set(agreed.map((one) => JSON.stringify(one))),
    );
    expect(offered).toHaveLength(agreed.length);
  });

  it("each have a test against the sandbox", () => {
    expect(operations.filter(({ call }) => !tests.has(call)).map(({ call }) => call)).toEqual([]);
  });

  // `npx vitest run -u test/sdk/coverage.test.ts` rewrites the table.
  it("are all in the documentation", async () => {
    const rows = operations.map(({ call, method, path, basis, section }) => {
      const file = tests.get(call) ?? "";
      return `| \`${method} ${path}\` | \`${call}\` | ${basis} | ${section} | [${file}](../test/sdk/${file}) |`;
    });
    const table = [
      "| request | call | basis | specification | test |",
      "|---|---|---|---|---|",
      ...rows,
    ].join("\n");
    const written = text("docs/sdk.md").replace(
      /(<!-- endpoints -->\n)[\s\S]*(<!-- \/endpoints -->)/,
      (_, start: string, end: string) => `${start}\n${table}\n\n${end}`,
    );
    await expect(written).toMatchFileSnapshot(`${root}/docs/sdk.md`);
  });
});
