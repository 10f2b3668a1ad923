import { resolve } from "node:path";
import {
  LocalWorkspace,
  type ProjectSettings,
  type PulumiCommand,
  type StackSettings,
} from "@pulumi/pulumi/automation";

/** A project on disk, for a stack that is kept in another folder. */
interface ProjectFolder {
  readonly settings: ProjectSettings;
  /** The values of the stack's settings file, without secrets. */
  readonly config: NonNullable<StackSettings["config"]>;
  readonly pulumiCommand: PulumiCommand;
}

/**
 * Reads `Pulumi.yaml` and `Pulumi.<stack>.yaml`, if the stack has one. Settings with secrets are left out: they are
 * encrypted for another stack.
 */
export async function readProjectFolder(folder: string, stackName: string): Promise<ProjectFolder> {
  const workspace = await LocalWorkspace.create({ workDir: folder });
  const settings = await workspace.projectSettings();
  return {
    settings: movedOutOf(folder, settings),
    config: await plainConfig(workspace, stackName),
    pulumiCommand: workspace.pulumiCommand,
  };
}

/** Members of Pulumi.yaml that the Automation API does not declare. */
interface UndeclaredSettings {
  readonly stackConfigDir?: string;
  readonly plugins?: { readonly providers?: ReadonlyArray<{ readonly path?: string }> };
}

/** Returns project settings for a file outside of the project's folder. */
function movedOutOf(folder: string, given: ProjectSettings & UndeclaredSettings): ProjectSettings {
  const { stackConfigDir: _, backend: __, ...settings } = given;
  const providers = settings.plugins?.providers?.map((provider) =>
    provider.path === undefined ? provider : { ...provider, path: resolve(folder, provider.path) },
  );
  return {
    ...settings,
    main: resolve(folder, settings.main ?? ""),
    ...(providers && { plugins: { ...settings.plugins, providers } }),
  };
}

async function plainConfig(workspace: LocalWorkspace, stackName: string): Promise<ProjectFolder["config"]> {
  let settings: StackSettings;
  try {
    settings = await workspace.stackSettings(stackName);
  } catch (error) {
    if (error instanceof Error && error.message.startsWith("failed to find stack settings")) return {};
    throw error;
  }
  return Object.fromEntries(Object.entries(settings.config ?? {}).filter(([, value]) => !hasSecret(value)));
}

/** Returns whether a setting is encrypted, or a part of it. */
const hasSecret = (value: unknown): boolean =>
  typeof value === "object" && value !== null && ("secure" in value || Object.values(value).some(hasSecret));
