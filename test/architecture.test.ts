import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

interface Import {
  readonly from: string;
  readonly to: string;
  /** It is gone once it is compiled. */
  readonly isType: boolean;
}

/** `import type … from "x"`, `export … from "x"`, `import("x")`, `require("x")`. */
const statement = /(\b(?:import|export)\s+type\b[^";]*?)?(?:\bfrom|\bimport\(?|\brequire\()\s*"([^"]+)"/g;

/** Returns the sources under a folder, tests included. */
const sourcesUnder = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(ts|mjs|cjs|js)$/.test(file) && !/(^|\/)(dist|node_modules)\//.test(file))
    .map((file) => join(root, folder, file));

function importsUnder(folder: string): Import[] {
  return sourcesUnder(folder)
    .filter((path) => /\.(ts|mjs)$/.test(path) && !/\.test\.ts$/.test(path))
    .flatMap((path) => {
      // Without the examples in comments and the attributes of imports.
      const source = readFileSync(path, "utf8").replaceAll(/^ *\*.*$| with \{[^}]*\}/gm, "");
      return [...source.matchAll(statement)].map(([, type, specifier = ""]) => ({
        from: relative(root, path),
        to: specifier.startsWith(".") ? relative(root, join(path, "..", specifier)) : specifier,
        isType: type !== undefined,
      }));
    });
}

const offending = (folder: string, forbidden: (found: Import) => boolean): string[] =>
  importsUnder(folder)
    .filter(forbidden)
    .map(({ from, to }) => `${from} -> ${to}`);

const packages = /^(cloudservices-sdk|cloudservices-sandbox|pulumi-cloudservices)(\/|$)/;
const outside = (folder: string) => (found: Import) =>
  !found.to.startsWith(`${folder}/`) &&
  found.to.includes("/") &&
  /^(sdk|provider|sandbox|examples|test|tools|bench)\//.test(found.to);

describe("a dependency points one way", () => {
  it("finds imports at all", () => {
    for (const room of ["sdk/src", "provider/src", "sandbox/src", "tools"])
      expect(importsUnder(room).length).toBeGreaterThan(5);
  });

  it("the sdk knows nothing of Pulumi, the provider or the sandbox", () => {
    expect(offending("sdk/src", ({ to }) => packages.test(to) || to.startsWith("@pulumi/"))).toEqual([]);
  });

  it("the sandbox reads the specification on its own", () => {
    expect(offending("sandbox/src", ({ to }) => packages.test(to) || to.startsWith("@pulumi/"))).toEqual([]);
  });

  it("the provider leaves HTTP to the sdk", () => {
    const http = /^(undici|node:https?|node:net|node:tls)(\/|$)/;
    // The services that its tests start are not part of it.
    const isTestSupport = ({ from }: Import) => from.startsWith("provider/src/test-support/");
    expect(offending("provider/src", (found) => http.test(found.to) && !isTestSupport(found))).toEqual([]);
  });

  it("only what helps users' tests knows the sandbox, and nothing of the provider needs it", () => {
    const isTesting = (path: string) => path.startsWith("provider/src/testing/");
    const crossing = ({ from, to }: Import) =>
      !isTesting(from) && (isTesting(to) || to === "cloudservices-sandbox");
    expect(offending("provider/src", crossing)).toEqual([]);
  });

  it("the kernel meets Pulumi only where it speaks the engine's protocol", () => {
    expect(
      offending(
        "provider/src/kernel",
        ({ from, to }) => to.startsWith("@pulumi/") && !from.startsWith("provider/src/kernel/engine/"),
      ),
    ).toEqual([]);
  });

  it("the kernel does not know the kinds", () => {
    expect(
      offending("provider/src/kernel", ({ to }) => /^provider\/src\/(resources|functions|calls)\//.test(to)),
    ).toEqual([]);
  });

  it("each room is entered by its published name only", () => {
    for (const room of ["sdk", "provider", "sandbox", "examples"])
      expect(offending(room, outside(room))).toEqual([]);
  });

  it("the tools run before anything is installed", () => {
    expect(offending("tools", ({ to }) => !to.startsWith("node:") && !to.startsWith("tools/"))).toEqual([]);
  });
});

it("no source asks URL.canParse, which in Node.js 20 and 22 refuses valid addresses after many calls", () => {
  const rooms = ["sdk/src", "provider/src", "sandbox/src", "examples", "test/faults", "tools"];
  const sources = rooms.flatMap(sourcesUnder);
  expect(sources.length).toBeGreaterThan(100);
  expect(sources.filter((path) => /URL\.canParse\(/.test(readFileSync(path, "utf8")))).toEqual([]);
});

interface Place {
  readonly place: string;
  readonly files: RegExp;
  /** All that they may import. */
  readonly may: RegExp;
  /** What else they may import as a type. */
  readonly asType?: RegExp;
}

/** The libraries that the provider uses in the copy of `@pulumi/pulumi`. */
const ofPulumi = /^(@grpc\/grpc-js|google-protobuf\/)/;

/** The tables of docs/architecture.md. */
const places: readonly Place[] = [
  { place: "the sdk", files: /^sdk\/src\//, may: /^(sdk\/src\/|node:|undici$|zod$)/ },
  {
    place: "the provider",
    files: /^provider\/src\/(?!test-support\/|testing\/|schema\/)/,
    may: /^(provider\/src\/|node:|cloudservices-sdk$|@pulumi\/pulumi(\/|$)|zod$)/,
    asType: ofPulumi,
  },
  {
    place: "what helps users' tests",
    files: /^provider\/src\/testing\//,
    may: /^(provider\/src\/(testing|kernel|resources|native)\/|provider\/src\/kind-of-type\.js$|node:|cloudservices-sandbox$|@pulumi\/pulumi(\/|$))/,
    asType: /^cloudservices-sdk$/,
  },
  {
    place: "what makes the schema",
    files: /^provider\/src\/schema\//,
    may: /^(provider\/src\/|node:|typescript$|zod$)/,
  },
  {
    place: "a resource",
    files: /^provider\/src\/resources\//,
    may: /^(provider\/src\/(resources\/[\w-]+|kernel\/definition\/[\w-]+|kernel\/diagnostics\/[\w-]+)\.js|cloudservices-sdk|zod)$/,
    asType: /^(@pulumi\/pulumi|provider\/src\/args\.js)$/,
  },
  {
    place: "the kernel",
    files: /^provider\/src\/kernel\//,
    may: /^(provider\/src\/kernel\/|node:|cloudservices-sdk$|@pulumi\/pulumi(\/|$)|zod$)/,
    asType: ofPulumi,
  },
  {
    place: "a function",
    files: /^provider\/src\/(functions\/|events\.ts)/,
    may: /^(provider\/src\/(functions|kernel\/definition|kernel\/diagnostics)\/|cloudservices-sdk$|zod$)/,
  },
  {
    place: "the program form of a function",
    files: /^provider\/src\/calls\//,
    may: /^(provider\/src\/(calls|functions|generated|kernel)\/|cloudservices-sdk$|@pulumi\/pulumi$|zod$)/,
  },
  {
    place: "a class",
    files: /^provider\/src\/classes\//,
    may: /^(provider\/src\/((args|classes\/[\w-]+|resources\/database-behind)\.js$|generated\/|kernel\/)|@pulumi\/pulumi$)/,
    asType: /^provider\/src\/resources\//,
  },
  {
    place: "the native form",
    files: /^provider\/src\/native\//,
    may: /^(provider\/src\/(native|generated|kernel|functions)\/|provider\/src\/(args|events|resources\/database-behind|classes\/(both-forms|one-form|one-schedule|promise-traces))\.js$|node:|@pulumi\/pulumi$)/,
    asType: /^(cloudservices-sdk$|zod$|provider\/src\/calls\/query\.js$|provider\/src\/resources\/)/,
  },
  {
    place: "a command",
    files: /^provider\/src\/commands\//,
    may: /^(provider\/src\/(commands|resources|generated)\/|provider\/src\/kind-of-type\.js$|provider\/src\/kernel\/(definition|diagnostics|settings|state|stack)\/|provider\/src\/kernel\/engine\/wire-values\.js$|node:|cloudservices-sdk$|zod$)/,
  },
  {
    place: "the plugin",
    files: /^provider\/src\/plugin/,
    may: /^(provider\/src\/(kernel|resources|functions)\/|provider\/src\/plugin-provider\.js$|node:)/,
  },
  {
    place: "the subpath of states",
    files: /^provider\/src\/dynamic\.ts/,
    may: /^provider\/src\/(kernel\/|resources\/)/,
  },
];

it.each(places.map((row) => [row.place, row] as const))(
  "%s imports nothing but what it may",
  (_, { files, may, asType }) => {
    const imports = ["sdk", "provider"].flatMap(importsUnder).filter(({ from }) => files.test(from));
    expect(imports).not.toEqual([]);
    const wrong = imports.filter(({ to, isType }) => !may.test(to) && !(isType && asType?.test(to)));
    expect(wrong.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  },
);

describe("a plan is made without a request", () => {
  const filesIn = (folder: string) =>
    readdirSync(join(root, "provider/src/kernel", folder))
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
      .map((name) => `provider/src/kernel/${folder}/${name}`);
  const pure = ["definition", "plan"].flatMap(filesIn);
  const asking = [
    ...filesIn("lifecycle"),
    "provider/src/kernel/stack/client.ts",
    "provider/src/kernel/stack/batch-reader.ts",
  ];
  const imports = importsUnder("provider/src/kernel").filter(({ isType }) => !isType);

  /** The ways from a file to one that sends requests, as chains of imports. */
  function ways(from: string, seen: Set<string>): string[] {
    seen.add(from);
    return imports
      .filter((found) => found.from === from)
      .map(({ to }) => to.replace(/\.js$/, ".ts"))
      .filter((to) => !seen.has(to))
      .flatMap((to) => (asking.includes(to) ? [to] : ways(to, seen)).map((way) => `${from} -> ${way}`));
  }

  it.each(pure)("%s reaches nothing that sends one", (name) => {
    expect(ways(name, new Set())).toEqual([]);
    expect(imports.filter(({ from, to }) => from === name && to === "cloudservices-sdk")).toEqual([]);
  });

  it("finds the files that plan and those that send requests", () => {
    expect(pure.length).toBeGreaterThan(10);
    expect(asking.filter((name) => !existsSync(join(root, name)))).toEqual([]);
  });
});

describe("the kernel's folders are layers", () => {
  /** From the bottom up: a folder imports its own files and those of the folders before it, types included. */
  const layers = [
    "diagnostics",
    "settings",
    "definition",
    "state",
    "plan",
    "stack",
    "lifecycle",
    "engine",
  ] as const;
  const folderOf = (path: string) => /^provider\/src\/kernel\/([^/]+)\//.exec(path)?.[1];

  it("lists every folder", () => {
    const folders = readdirSync(join(root, "provider/src/kernel"));
    expect([...folders].sort()).toEqual([...layers].sort());
  });

  it.each(layers.map((layer, at) => [layer, layers.slice(0, at + 1)] as const))(
    "%s imports no folder above it",
    (layer, allowed) => {
      const found = importsUnder(`provider/src/kernel/${layer}`).filter(({ to }) => {
        const folder = folderOf(to);
        return folder !== undefined && !allowed.some((name) => name === folder);
      });
      expect(found.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
    },
  );
});

/** The sandbox's folders below `src`, from the top down: a folder imports itself and folders below it, nothing else. */
const sandboxLayers: readonly (readonly string[])[] = [
  [""],
  ["control"],
  ["control/dashboard"],
  ["http", "postgres"],
  ["services"],
  ["services/links", "services/databases", "services/vps", "services/inboxes"],
  ["services/webhooks", "services/dns", "services/ip"],
  ["core"],
  ["state"],
];

describe("the sandbox's folders form layers", () => {
  const folderOf = (path: string) => path.replace("sandbox/src/", "").split("/").slice(0, -1).join("/");
  const imports = importsUnder("sandbox/src")
    .filter(({ to }) => to.startsWith("sandbox/src/"))
    .map((found) => ({ ...found, folder: folderOf(found.from), target: folderOf(found.to) }))
    .filter(({ folder, target }) => folder !== target);
  const layerOf = (folder: string) => sandboxLayers.findIndex((layer) => layer.includes(folder));

  it("lists every folder", () => {
    const folders = new Set(imports.flatMap(({ folder, target }) => [folder, target]));
    expect([...folders].sort()).toEqual([...sandboxLayers.flat()].sort());
  });

  it("has no import that points up or sideways, not even of a type", () => {
    const wrong = imports.filter(({ folder, target }) => layerOf(target) <= layerOf(folder));
    expect(wrong.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });
});

it("no file of the sandbox imports itself through others", () => {
  const targets = new Map<string, string[]>();
  for (const { from, to, isType } of importsUnder("sandbox/src"))
    if (!isType && to.startsWith("sandbox/src/"))
      targets.set(from, [...(targets.get(from) ?? []), to.replace(/\.js$/, ".ts")]);
  const seen = new Set<string>();
  function circleAt(file: string, way: readonly string[]): readonly string[] {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
    if (seen.has(file)) return [];
    seen.add(file);
    return (targets.get(file) ?? []).flatMap((next) => circleAt(next, [...way, file]));
  }
  expect([...targets.keys()].flatMap((file) => circleAt(file, []))).toEqual([]);
});
