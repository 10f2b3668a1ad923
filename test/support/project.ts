import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { nativePlugin } from "pulumi-cloudservices/native";
import { inject } from "vitest";
import { type Outcome as Ended, run } from "../../tools/process/run.mjs";
import { type Config, configOf, type Service } from "./config.js";
import { openFolder } from "./folder.js";
import { isNative } from "./form.js";
import { noteMode } from "./modes.js";
import { createStack, stateFile } from "./new-stack.js";
import { exportedFrom, type State } from "./state.js";

interface CommandOptions {
  /** Added to the environment of the engine and its plugins. */
  readonly env?: Readonly<Record<string, string>>;
  /** The command's standard input. */
  readonly input?: string;
  /** Kills the command without warning. */
  readonly signal?: AbortSignal;
  /** Receives the command's output as it is printed. */
  readonly onOutput?: (text: string) => void;
}

/** A project on disk, driven through the `pulumi` command. */
export interface TestProject {
  readonly folder: string;
  /** The environment that makes any process use this project's engine home and state. */
  readonly environment: Readonly<Record<string, string>>;
  /** Runs `pulumi` with these arguments; does not reject when the command fails. */
  pulumi(args: readonly string[], options?: CommandOptions): Promise<Ended>;
  export(): Promise<State>;
  configure(config: Config): void;
  /** Writes files of the project. */
  write(files: Readonly<Record<string, string>>): void;
  /** Removes the project and its state, but not its resources at the service. */
  close(): Promise<void>;
}

export interface ProjectOptions {
  /**
   * The project's files by path; `Pulumi.yaml`, `package.json` and, with a program in TypeScript, `tsconfig.json` have
   * sensible defaults.
   */
  readonly files: Readonly<Record<string, string>>;
  readonly sandbox?: Service;
  readonly config?: Config;
  readonly name?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Sets the native plugin up. Default: as the form of the tests requires. */
  readonly native?: boolean;
}

const defaultFiles = {
  "Pulumi.yaml": "name: test\nruntime: nodejs\n",
  "package.json": '{ "name": "test", "private": true }\n',
};

/** Pulumi loads the compiler for each project that has this file. */
const typeScriptFiles = {
  "tsconfig.json": `${JSON.stringify({
    compilerOptions: {
      module: "nodenext",
      moduleResolution: "nodenext",
      target: "es2022",
      strict: true,
      skipLibCheck: true,
    },
  })}\n`,
};

/** The four lines of Pulumi.yaml that set the plugin up, with the folder of this checkout. */
const pluginLines = nativePlugin.plugins.providers
  .map(({ name, path }) => `plugins:\n  providers:\n    - name: ${name}\n      path: ${path}\n`)
  .join("");

/** Returns the files of a project in the native form, for programs of either form. */
const inNativeForm = (files: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(files).map(([name, text]) => [
      name,
      name === "Pulumi.yaml" && !/^plugins:/m.test(text)
        ? text + pluginLines
        : text.replaceAll('"pulumi-cloudservices"', '"pulumi-cloudservices/native"'),
    ]),
  );

/** Writes a project with its own engine home, backend and passphrase. */
export async function openProject(options: ProjectOptions): Promise<TestProject> {
  const folder = openFolder();
  noteMode(options.sandbox, options.config);
  const write = (files: Readonly<Record<string, string>>) =>
    folder.write((options.native ?? isNative) ? inNativeForm(files) : files);
  const isTypeScript = Object.keys(options.files).some((name) => name.endsWith(".ts"));
  write({ ...defaultFiles, ...(isTypeScript && typeScriptFiles), ...options.files });
  if (!existsSync(join(folder.path, "Pulumi.yaml"))) throw new Error("The project has no Pulumi.yaml.");

  const environment = { ...folder.environment, ...inject("engineSettings") };
  const pulumi = (args: readonly string[], { env, ...given }: CommandOptions = {}) =>
    run("pulumi", ["--non-interactive", "--color", "never", ...args], {
      cwd: folder.path,
      env: { ...process.env, ...environment, ...options.env, ...env },
      ...given,
    });
  const project = /^name: (\S+)$/m.exec(readFileSync(join(folder.path, "Pulumi.yaml"), "utf8"))?.[1];
  if (project === undefined) throw new Error("The project has no name.");
  const stack = { project, name: options.name ?? "dev" };
  const configure = createStack(folder, stack);
  configure(configOf(options));
  return {
    folder: folder.path,
    environment,
    pulumi,
    configure,
    export: async () => exportedFrom(readFileSync(stateFile(folder.path, stack), "utf8")),
    write,
    close: folder.remove,
  };
}
