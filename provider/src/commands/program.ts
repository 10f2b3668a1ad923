import type { AccountResource } from "./account.js";
import { UniqueNames, variableFrom } from "./names.js";

/** The form of the package that the program uses. */
export type Form = "dynamic" | "native";

/** A resource with its name in the program. */
export interface NamedResource extends AccountResource {
  readonly name: string;
}

/** Returns the resources with names that are unique for each kind. */
export function named(resources: readonly AccountResource[]): NamedResource[] {
  const names = new Map<string, UniqueNames>();
  return resources.map((resource) => {
    const { kind, label, owner } = resource;
    const ofKind = names.get(kind) ?? new UniqueNames();
    names.set(kind, ofKind);
    const parent = owner === undefined ? undefined : ownerOf(resource, resources);
    return { ...resource, name: ofKind.of(parent?.label ?? label, kind.toLowerCase()) };
  });
}

const ownerOf = <T extends AccountResource>(
  { owner, id }: AccountResource,
  among: readonly T[],
): T | undefined => among.find((other) => other.kind === owner && other.id === id);

/** The setting that holds a secret input of a resource, which the service does not return. */
export const secretSetting = ({ kind, name }: NamedResource, field: string): string =>
  `${kind.toLowerCase()}-${name}-${field}`;

/** Returns a TypeScript program that takes the resources over. */
export function programOf(resources: readonly NamedResource[], form: Form): string {
  const kinds = [...new Set(resources.map(({ kind }) => kind))].sort();
  const hasSecrets = resources.some(({ unread }) => unread.some(({ isSecret }) => isSecret));
  const variables = variablesOf(resources);
  const ordered = [
    ...resources.filter(({ owner }) => owner === undefined),
    ...resources.filter(({ owner }) => owner !== undefined),
  ];
  return [
    "// Written by `pulumi-cloudservices adopt`: what exists at the service and is in no state of this project.",
    ...(hasSecrets ? [importOf(["Config"], "@pulumi/pulumi")] : []),
    importOf(kinds, form === "native" ? "pulumi-cloudservices/native" : "pulumi-cloudservices"),
    ...(hasSecrets ? ["", "const config = new Config();"] : []),
    ...ordered.flatMap((resource) => ["", statementOf(resource, form, variables, resources)]),
    "",
  ].join("\n");
}

const importOf = (names: readonly string[], module: string): string =>
  `import { ${names.join(", ")} } from ${JSON.stringify(module)};`;

/** Returns a variable for each resource that another one belongs to. */
function variablesOf(resources: readonly NamedResource[]): ReadonlyMap<NamedResource, string> {
  const names = new UniqueNames();
  const owners = new Set(resources.flatMap((resource) => ownerOf(resource, resources) ?? []));
  return new Map(
    [...owners].map((owner) => [
      owner,
      names.of(variableFrom(owner.name, owner.kind), "owner").replaceAll("-", "_"),
    ]),
  );
}

function statementOf(
  resource: NamedResource,
  form: Form,
  variables: ReadonlyMap<NamedResource, string>,
  resources: readonly NamedResource[],
): string {
  const { kind, id, name, inputs, unread } = resource;
  const owner = ownerOf(resource, resources);
  const lines = Object.entries(inputs).map(([field, value]) => {
    // The owner's id as an output makes the engine keep the order.
    const variable = owner && value === id ? variables.get(owner) : undefined;
    return `${field}: ${variable === undefined ? JSON.stringify(value) : `${variable}.id`},`;
  });
  for (const { field, isSecret } of unread) {
    lines.push(
      isSecret
        ? `${field}: config.requireSecret(${JSON.stringify(secretSetting(resource, field))}),`
        : `${field}: "", // not returned by the service: fill it in`,
    );
  }
  // Declaring what has its owner's id takes the existing one over.
  if (form === "dynamic" && resource.owner === undefined) lines.unshift(`adopt: ${JSON.stringify(id)},`);
  const variable = variables.get(resource);
  return [
    `${variable === undefined ? "" : `const ${variable} = `}new ${kind}(${JSON.stringify(name)}, {`,
    ...lines.map((line) => `  ${line}`),
    "});",
  ].join("\n");
}

/** Returns the file for `pulumi import --file`. */
export const importFileOf = (resources: readonly NamedResource[]): string =>
  `${JSON.stringify(
    { resources: resources.map(({ kind, name, id }) => ({ type: `cloudservices:index:${kind}`, name, id })) },
    undefined,
    2,
  )}\n`;
