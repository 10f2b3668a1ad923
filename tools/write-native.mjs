// Writes the native forms of the classes and functions: they differ from the dynamic ones only in what they are made by.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";

const source = new URL("../provider/src/", import.meta.url);

/** @type {readonly { from: string, to: string, change: (text: string) => string }[]} */
const files = [
  { from: "classes/dynamic.ts", to: "native/generated/classes.ts", change: asNativeClasses },
  ...["cost", "links", "lookups", "mail", "network"].map((name) => ({
    from: `calls/${name}.ts`,
    to: `native/generated/${name}.ts`,
    change: asNativeCalls,
  })),
];

/** @param {string} text */
function asNativeClasses(text) {
  return text
    .replace(/^import type \{ ResourceOptions \}.*\n/m, "")
    .replaceAll("dynamicClass", "nativeClass")
    .replaceAll(/"pulumi-cloudservices";$/gm, '"pulumi-cloudservices/native";')
    .replace("{ nativeClass,", "{ nativeClass, type ResourceOptions,")
    .replace('"./dynamic-class.js"', '"../native-class.js"')
    .replace('"./one-schedule.js"', '"../../classes/one-schedule.js"')
    .replaceAll(/"\.\.\/(resources|generated)\//g, '"../../$1/')
    .replace("of the dynamic provider", "of the native plugin");
}

/**
 * Gives each function the options of a call, such as its provider.
 *
 * @param {string} text
 */
function asNativeCalls(text) {
  return text
    .replace('"./query.js"', '"../native-query.js"')
    .replaceAll(/"\.\.\/(functions|generated)\//g, '"../../$1/')
    .replace(/^(export function \w+\()([^)]*?),?(\s*)\): /gm, "$1$2, opts?: pulumi.InvokeOptions$3): ")
    .replace(/\.(promise|output)\(args\)/g, ".$1(args, opts)");
}

mkdirSync(new URL("native/generated/", source), { recursive: true });
for (const { from, to, change } of files) {
  const header = `// Made from ../../${from} by tools/write-native.mjs, which npm run build runs. Not edited by hand.\n`;
  const text = header + change(readFileSync(new URL(from, source), "utf8"));
  const file = new URL(to, source);
  // An unchanged file keeps its time, so that the compiler does not rebuild.
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);
}
