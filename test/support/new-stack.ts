import { createCipheriv, createHash, pbkdf2, randomBytes } from "node:crypto";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Config } from "./config.js";
import { PASSPHRASE, type StackFolder } from "./folder.js";

/*
 * Writes the files that `pulumi stack init` and `pulumi config set-all` write. Most tests open a stack of their own, and
 * the two commands take as long as half an operation on it.
 */

const salt = Buffer.from("the salt");

let derived: Promise<Buffer> | undefined;
/** Returns the key that the engine derives from the passphrase of the tests. */
const key = (): Promise<Buffer> => {
  derived ??= promisify(pbkdf2)(PASSPHRASE, salt, 1_000_000, 32, "sha256");
  return derived;
};

/** Encrypts a text as the engine's passphrase manager does. */
async function encrypted(text: string): Promise<string> {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", await key(), nonce);
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `v1:${nonce.toString("base64")}:${sealed.toString("base64")}`;
}

/** A stack's names. */
interface StackName {
  readonly project: string;
  readonly name: string;
}

/** Returns the path of the file of a stack's state. */
export const stateFile = (folder: string, { project, name }: StackName): string =>
  join(folder, "state/.pulumi/stacks", project, `${name}.json`);

/**
 * Creates a stack without resources, and selects it.
 *
 * @returns a function that adds to the stack's configuration
 */
export async function createStack(
  folder: StackFolder,
  stack: StackName,
): Promise<(config: Config) => Promise<void>> {
  const { project, name } = stack;
  const state = `v1:${salt.toString("base64")}:${await encrypted("pulumi")}`;
  const fullName = `organization/${project}/${name}`;
  const file = join(realpathSync(folder.path), "Pulumi.yaml");
  const selected = `${project}-${createHash("sha1").update(file).digest("hex")}-workspace.json`;
  const latest = {
    manifest: { time: "2026-01-01T00:00:00Z", magic: "", version: "" },
    secrets_providers: { type: "passphrase", state: { salt: state } },
    metadata: {},
  };
  folder.write({
    "state/.pulumi/meta.yaml": "version: 1\n",
    [stateFile("", stack)]: JSON.stringify({ version: 3, checkpoint: { stack: fullName, latest } }),
    [`home/workspaces/${selected}`]: JSON.stringify({ stack: fullName }),
  });

  const settings: Record<string, string | { readonly secure: string }> = {};
  const configure = async (config: Config) => {
    for (const [given, value] of Object.entries(config))
      settings[given.includes(":") ? given : `${project}:${given}`] =
        typeof value === "string" ? value : { secure: await encrypted(value.secret) };
    // JSON is YAML.
    folder.write({ [`Pulumi.${name}.yaml`]: JSON.stringify({ encryptionsalt: state, config: settings }) });
  };
  await configure({});
  return configure;
}
