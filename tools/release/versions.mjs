import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Problem } from "../setup/problem.mjs";

/** The packages that are published, in the order in which they need each other. */
const PACKAGES = ["sdk", "sandbox", "provider"];

const NAMES = new Set(["cloudservices-sdk", "cloudservices-sandbox", "pulumi-cloudservices"]);

/** The members of a package.json that name other packages. */
const DEPENDENCIES = ["dependencies", "devDependencies", "peerDependencies"];

/**
 * A place that names the version of our packages.
 *
 * @typedef {{ place: string, version: string }} Mention
 */

/**
 * Returns the text of a package.json with another version, of itself if it is published and of our packages.
 *
 * @param {string} text
 * @param {string} version
 */
export function withVersion(text, version) {
  const manifest = JSON.parse(text);
  if (NAMES.has(manifest.name)) manifest.version = version;
  for (const member of DEPENDENCIES)
    for (const name of Object.keys(manifest[member] ?? {}))
      if (NAMES.has(name)) manifest[member][name] = version;
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

/**
 * Returns the paths of all manifests that name our packages.
 *
 * @param {string} root
 */
export const manifestsIn = (root) => [
  ...PACKAGES.map((room) => join(room, "package.json")),
  ...readdirSync(join(root, "examples"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join("examples", name, "package.json"))
    .filter((path) => existsSync(join(root, path))),
];

/**
 * Returns every place that names a version of our packages.
 *
 * @param {string} root
 * @returns {Mention[]}
 */
export function mentions(root) {
  const read = (/** @type {string} */ path) => readFileSync(join(root, path), "utf8");
  const found = manifestsIn(root).flatMap((path) => {
    const manifest = JSON.parse(read(path));
    const own = NAMES.has(manifest.name) ? [{ place: path, version: manifest.version }] : [];
    const others = DEPENDENCIES.flatMap((member) =>
      Object.entries(manifest[member] ?? {})
        .filter(([name]) => NAMES.has(name))
        .map(([name, version]) => ({ place: `${path}: ${name}`, version: String(version) })),
    );
    return [...own, ...others];
  });
  const python = "languages/python/pyproject.toml";
  const go = "languages/go/cloudservices/pulumi-plugin.json";
  return [
    ...found,
    { place: "provider/schema.json", version: JSON.parse(read("provider/schema.json")).version },
    { place: go, version: JSON.parse(read(go)).version },
    { place: python, version: /^\s*version = "(.*)"$/m.exec(read(python))?.[1] ?? "none" },
  ];
}

/**
 * Requires that every place names this version.
 *
 * @param {readonly Mention[]} found
 * @param {string} version
 */
export function requireVersion(found, version) {
  const others = found.filter((mention) => mention.version !== version);
  if (others.length === 0) return;
  const list = others.map((mention) => `  ${mention.place}: ${mention.version}`).join("\n");
  throw new Problem(`These are not ${version}:\n${list}\nRun: npm run release -- ${version}`);
}
