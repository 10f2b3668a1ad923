import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { type Outcome, run } from "../../tools/process/run.mjs";
import { emptyFolder, packInto, root, type Tarball } from "./tarballs.js";

/** A project that has only the published packages. */
export interface ConsumerProject {
  readonly folder: string;
  /** The environment of its commands, without the variables of the npm that runs the tests. */
  readonly env: NodeJS.ProcessEnv;
  write(files: Readonly<Record<string, string>>): void;
  run(command: string, args: readonly string[]): Promise<Outcome>;
  /** Runs a program and returns its output, parsed as JSON. */
  node(file: string, source: string): Promise<unknown>;
  /** Returns the compiler's errors, with the strictest options. */
  compile(files: readonly string[], how: Compilation): Promise<string>;
}

export interface Compilation {
  readonly module: string;
  readonly resolution: string;
  /** Whether the packages' own declarations are not checked. */
  readonly skipLibCheck: boolean;
}

const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
const strict = [
  ...["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--esModuleInterop"],
  ...["--target", "es2022", "--types", "node"],
];

const lockSchema = z.looseObject({
  packages: z.record(z.string(), z.looseObject({ link: z.boolean().optional() })),
});

/**
 * Returns the locked versions of this checkout for a project that installs the tarballs. So the test installs what
 * `npm ci` has cached, and the same versions every day.
 */
function lockedVersions(tarballs: readonly Tarball[]): Record<string, object> {
  const { packages } = lockSchema.parse(JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")));
  return Object.fromEntries(
    Object.entries(packages).flatMap(([path, { devDependencies: _, ...entry }]) => {
      if (entry.link) return [];
      if (path.startsWith("node_modules/")) return [[path, entry]];
      const [room = "", ...below] = path.split("/");
      const tarball = tarballs.find((one) => one.room === room);
      if (!tarball) return [];
      const place = ["node_modules", tarball.name, ...below].join("/");
      return [[place, below.length > 0 ? entry : { ...entry, resolved: sourceOf(tarball) }]];
    }),
  );
}

const sourceOf = ({ path }: Tarball) => `file:../packed/${basename(path)}`;

/** Returns an environment without the variables of the npm that runs this process. */
export const outsideNpm = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^npm_(package|lifecycle|config_local_prefix)/.test(name)),
  );

/** Packs all packages and installs them together in an empty folder outside the checkout. */
export async function openConsumerProject(): Promise<ConsumerProject> {
  const above = emptyFolder();
  const folder = join(above, "project");
  const tarballs = await packInto(join(above, "packed"));
  const write = (files: Readonly<Record<string, string>>) => {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), content);
    }
  };
  const { devDependencies } = z
    .object({ devDependencies: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));
  const dependencies = {
    "@pulumi/pulumi": devDependencies["@pulumi/pulumi"],
    "@types/node": devDependencies["@types/node"],
    ...Object.fromEntries(tarballs.map((tarball) => [tarball.name, sourceOf(tarball)])),
  };
  const project = { name: "consumer", private: true, dependencies };
  write({
    "package.json": JSON.stringify(project),
    "package-lock.json": JSON.stringify({
      name: project.name,
      lockfileVersion: 3,
      packages: { "": { dependencies }, ...lockedVersions(tarballs) },
    }),
  });
  const env = outsideNpm(process.env);
  const runHere = (command: string, args: readonly string[]) => run(command, args, { cwd: folder, env });
  const installed = await runHere("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund"]);
  if (installed.code !== 0) throw new Error(`npm install failed:\n${installed.stderr}${installed.stdout}`);
  return {
    folder,
    env,
    write,
    run: runHere,
    async node(file, source) {
      write({ [file]: source });
      const { code, stdout, stderr } = await runHere(process.execPath, [file]);
      if (code !== 0) throw new Error(`${file} ended with ${code}:\n${stdout}${stderr}`);
      return JSON.parse(stdout);
    },
    async compile(files, { module, resolution, skipLibCheck }) {
      const { code, stdout, stderr } = await runHere(process.execPath, [
        ...[tsc, ...strict, "--skipLibCheck", String(skipLibCheck)],
        ...["--module", module, "--moduleResolution", resolution, ...files],
      ]);
      return code === 0 ? "" : `tsc ended with ${code}:\n${stdout}${stderr}`;
    },
  };
}
