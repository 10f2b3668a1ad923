import { createCipheriv, createHash, randomBytes } from "node:crypto";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import type { Config } from "./config.js";
import type { StackFolder } from "./folder.js";
import { SECRETS_PROVIDER } from "./key-server.js";

/*
 * Writes the files that `pulumi stack init` and `pulumi config set-all` write. Most tests open a stack of their own, and
 * the two commands take as long as half an operation on it.
 */

/** Encrypts a text as the engine does with the key of the stack. */
function encrypted(text: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", Buffer.from(inject("stackKey"), "base64"), nonce);
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
export function createStack(folder: StackFolder, stack: StackName): (config: Config) => void {
  const { project, name } = stack;
  // The key server has one key, so it does not matter which it is asked for.
  const encryptedKey = Buffer.from("key").toString("base64");
  const fullName = `organization/${project}/${name}`;
  const file = join(realpathSync(folder.path), "Pulumi.yaml");
  const selected = `${project}-${createHash("sha1").update(file).digest("hex")}-workspace.json`;
  const latest = {
    manifest: { time: "2026-01-01T00:00:00Z", magic: "", version: "" },
    secrets_providers: { type: "cloud", state: { url: SECRETS_PROVIDER, encryptedkey: encryptedKey } },
    metadata: {},
  };
  folder.write({
    "state/.pulumi/meta.yaml": "version: 1\n",
    [stateFile("", stack)]: JSON.stringify({ version: 3, checkpoint: { stack: fullName, latest } }),
    [`home/workspaces/${selected}`]: JSON.stringify({ stack: fullName }),
  });

  const settings: Record<string, string | { readonly secure: string }> = {};
  const configure = (config: Config) => {
    for (const [given, value] of Object.entries(config))
      settings[given.includes(":") ? given : `${project}:${given}`] =
        typeof value === "string" ? value : { secure: encrypted(value.secret) };
    // JSON is YAML.
    folder.write({
      [`Pulumi.${name}.yaml`]: JSON.stringify({
        secretsprovider: SECRETS_PROVIDER,
        encryptedkey: encryptedKey,
        config: settings,
      }),
    });
  };
  configure({});
  return configure;
}
