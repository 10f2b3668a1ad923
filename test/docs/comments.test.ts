import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as sdk from "cloudservices-sdk";
import * as provider from "pulumi-cloudservices";
import * as native from "pulumi-cloudservices/native";
import { expect, it } from "vitest";
import { errorsIn, type Program } from "./compile.js";
import { type Block, blocksOf, root } from "./pages.js";

/*
 * The examples in the comments of the packages, which editors and the reference show. An example without imports takes
 * the names of its package and a few others for granted.
 */

const packages = [
  { folder: "sdk/src", name: "cloudservices-sdk", exports: sdk },
  { folder: "provider/src/native", name: "pulumi-cloudservices/native", exports: native },
  { folder: "provider/src", name: "pulumi-cloudservices", exports: provider },
];

const given: Readonly<Record<string, string>> = {
  client: 'import("cloudservices-sdk").CloudServices',
  inbox: 'import("pulumi-cloudservices").Inbox & import("cloudservices-sdk").Inbox',
  orders: 'import("pulumi-cloudservices").Database',
  config: 'import("@pulumi/pulumi").Config',
  signUp: "(address: string) => Promise<void>",
  LocalWorkspace: 'typeof import("@pulumi/pulumi/automation/index.js").LocalWorkspace',
  program: 'import("@pulumi/pulumi/automation/index.js").PulumiFn',
  ...{ stackName: "string", projectName: "string" },
  ...{ apiKey: "string", baseUrl: "string", secret: "string", url: "string" },
};

/** The reader's own program, `./index.js` of an example. */
const own = { text: "export const home = {};\n", parts: [] };

const names = (text: string) => new Set(text.match(/[A-Za-z_]\w*/g));

/** Returns the blocks in the comments of a file, with the file's lines. */
function blocksIn(path: string): Block[] {
  const lines = readFileSync(join(root, path), "utf8").split("\n");
  const text = lines.map((line) => /^ *\* ?(?!\/)(.*)$/.exec(line)?.[1] ?? "").join("\n");
  return blocksOf({ path, text }).filter(({ language }) => language === "ts");
}

function programOf(block: Block): Program {
  const { name, exports } = packages.find(({ folder }) => block.page.startsWith(`${folder}/`)) ?? {};
  const used = names(block.text);
  const declared = new Set([...block.text.matchAll(/(?:const|let) (\w+) =/g)].map(([, name]) => name));
  const isImported = /^import /m.test(block.text);
  const imports = isImported ? [] : Object.keys(exports ?? {}).filter((name) => used.has(name));
  const taken = Object.entries(given).filter(
    ([name]) => !isImported && used.has(name) && !declared.has(name) && !imports.includes(name),
  );
  const declarations = taken.map(([name, type]) => `declare const ${name}: ${type};`).join(" ");
  const text = `import { ${imports.join(", ")} } from "${name}"; ${declarations} ${block.text}export {};\n`;
  const file = join(root, "comments", block.page.replaceAll("/", "-"), `${block.line}.ts`);
  return { file, text, parts: [{ from: 0, block }] };
}

it("every example in a comment compiles, and a wrong one is found", { timeout: 60_000 }, () => {
  const files = ["sdk/src", "provider/src"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
      .map((file) => `${folder}/${file}`),
  );
  const blocks = files.flatMap(blocksIn);
  expect(blocks.length).toBeGreaterThan(20);
  const wrong: Block = {
    ...{ page: "sdk/src/a.ts", line: 7, language: "ts", given: "" },
    text: "await client.links.create({});\n",
  };
  const programs = [...blocks, wrong].map(programOf);
  const index = programs.map(({ file }) => ({ ...own, file: join(dirname(file), "index.ts") }));
  expect(errorsIn([...programs, ...index])).toEqual([
    expect.stringMatching(/^sdk\/src\/a\.ts:7: .*'url' is missing/s),
  ]);
});
