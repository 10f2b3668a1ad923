import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const folder = fileURLToPath(new URL(".", import.meta.url));

it("the judge imports the evidence and nothing of the product", () => {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts"),
  );
  const imports = files.flatMap((file) =>
    [
      ...readFileSync(`${folder}${file}`, "utf8").matchAll(
        /\bfrom\s+"([^"]+)"|\b(?:import|require)\(\s*"([^"]+)"/g,
      ),
    ].map(([, from, called]) => from ?? called ?? ""),
  );
  const allowed = /^(node:util|(\.\/|\.\.\/)(rules\/)?[\w-]+\.js|(\.\.\/){1,2}evidence\/[\w-]+\.js)$/;
  expect(imports.length).toBeGreaterThan(files.length);
  expect(imports.filter((name) => !allowed.test(name))).toEqual([]);
});
