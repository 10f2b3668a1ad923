import { fieldsOf } from "../kernel/definition/kind-values.js";
import { ofEachKind } from "../resources/index.js";
import { CommandError } from "./command-error.js";
import type { NamedResource } from "./program.js";

interface Field {
  readonly isSecret: boolean;
  /** Returns the value that a text stands for, or why there is none. */
  readonly read: (text: string) => { readonly value: unknown } | { readonly wrong: string };
}

/** The inputs of all kinds, as `Database.plan`. */
const fields: ReadonlyMap<string, Field> = new Map(
  Object.values(
    ofEachKind((kind) =>
      fieldsOf(kind).map(([name, { secret, schema }]): [string, Field] => [
        `${kind.name}.${name}`,
        {
          isSecret: secret === true,
          read(text) {
            // Text first: the version 8.0 is no number.
            for (const value of [text, fromJson(text)]) {
              const parsed = schema.safeParse(value);
              if (parsed.success) return { value: parsed.data };
            }
            const wrong = schema.safeParse(fromJson(text) ?? text).error?.issues[0]?.message;
            return { wrong: wrong ?? "is invalid" };
          },
        },
      ]),
    ),
  ).flat(),
);

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the values of `--set Kind.input=value`, as the inputs' own types. */
export function valuesIn(given: readonly string[]): ReadonlyMap<string, unknown> {
  return new Map(
    given.map((text) => {
      const [, property = "", value = ""] = /^(\w+\.\w+)=(.+)$/s.exec(text) ?? [];
      // The whole text is not quoted: it may contain a secret.
      if (property === "") throw new CommandError("--set needs the form Kind.input=value");
      const field = fields.get(property);
      if (field === undefined)
        throw new CommandError(`--set ${property}: there is no such input`, optionsFor(property));
      if (field.isSecret)
        throw new CommandError(`--set ${property}: secrets come from the configuration`, [
          "leave it out; the command prints the settings to set",
        ]);
      const read = field.read(value);
      if ("wrong" in read) throw new CommandError(`--set ${property} ${read.wrong}`);
      return [property, read.value];
    }),
  );
}

/** Returns the inputs of the same kind, or the kinds. */
function optionsFor(property: string): string[] {
  const [kind = ""] = property.split(".");
  const names = [...fields].filter(([, { isSecret }]) => !isSecret).map(([name]) => name);
  const ofKind = names.filter((name) => name.startsWith(`${kind}.`));
  const kinds = [...new Set(names.map((name) => name.split(".")[0]))];
  return [ofKind.length > 0 ? `--set ${ofKind.join(", ")}` : `the kinds are ${kinds.join(", ")}`];
}

/**
 * Returns the resources with the values that the user gives for what the service does not return.
 *
 * @param unlisted - The kinds of which there may be more resources than these.
 */
export function withValues(
  resources: readonly NamedResource[],
  values: ReadonlyMap<string, unknown>,
  unlisted: readonly string[] = [],
): NamedResource[] {
  const used = new Set<string>();
  const filled = resources.map((resource) => {
    const set = resource.unread.flatMap(({ field, isSecret }): [string, unknown][] => {
      const property = `${resource.kind}.${field}`;
      if (isSecret || !values.has(property)) return [];
      used.add(property);
      return [[field, values.get(property)]];
    });
    const known = Object.fromEntries(set);
    const unread = resource.unread.filter(({ field }) => !Object.hasOwn(known, field));
    return { ...resource, inputs: { ...resource.inputs, ...known }, unread };
  });
  const unused = [...values.keys()].filter(
    (property) => !used.has(property) && !unlisted.some((kind) => property.startsWith(`${kind}.`)),
  );
  if (unused.length > 0) {
    throw new CommandError(`--set ${unused.join(", ")}: no resource to adopt lacks it`, ["leave it out"]);
  }
  return filled;
}
