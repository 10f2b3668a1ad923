// @module-tag slow

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { functions } from "../functions/index.js";
import * as program from "../index.js";
import { readSettings } from "../kernel/settings/read-settings.js";
import { settingRules } from "../kernel/settings/settings.js";
import { configurationTable } from "./configuration-table.js";
import { packageSchema } from "./generate.js";
import type { ObjectSpec, Properties, PropertySpec, TypeSpec } from "./package-schema.js";
import { kinds } from "./resources.js";
import { signaturesModule } from "./signatures.js";

const schema = packageSchema();

const fresh = "is out of date: run `npm run schema`";

const isObject = (type: object): type is ObjectSpec => "properties" in type;

it("provider/schema.json matches the definitions", async () => {
  const text = `${JSON.stringify(schema, undefined, 2)}\n`;
  await expect(text, `provider/schema.json ${fresh}`).toMatchFileSnapshot("../../schema.json");
});

it("provider/src/generated/signatures.ts matches the definitions", async () => {
  await expect(signaturesModule(), `provider/src/generated/signatures.ts ${fresh}`).toMatchFileSnapshot(
    "../generated/signatures.ts",
  );
});

it("docs/configuration.md matches the settings", async () => {
  const text = readFileSync(new URL("../../../docs/configuration.md", import.meta.url), "utf8");
  const current = text.replace(/\| Setting \|[\s\S]*?\n(?!\|)/, () => `${configurationTable()}\n`);
  await expect(current, `docs/configuration.md ${fresh}`).toMatchFileSnapshot(
    "../../../docs/configuration.md",
  );
});

/** All properties in the schema, by their path. */
function everyProperty(): [string, PropertySpec][] {
  const groups: [string, Properties | undefined][] = [
    ["config", schema.config.variables],
    ["provider", schema.provider.inputProperties],
    ...Object.entries(schema.resources).flatMap(([token, resource]): [string, Properties | undefined][] => [
      [`${token} input`, resource.inputProperties],
      [`${token} output`, resource.properties],
    ]),
    ...Object.entries(schema.functions).flatMap(([token, { inputs, outputs }]): [string, Properties][] => [
      [`${token} input`, inputs.properties],
      [`${token} output`, outputs.properties],
    ]),
    ...Object.entries(schema.types).flatMap(([token, type]): [string, Properties][] =>
      isObject(type) ? [[token, type.properties]] : [],
    ),
  ];
  return groups.flatMap(([group, properties = {}]) =>
    Object.entries(properties).map(([name, property]): [string, PropertySpec] => [
      `${group}: ${name}`,
      property,
    ]),
  );
}

/** The types that a type refers to, at any depth. */
function referencesOf({ $ref, items, additionalProperties, oneOf = [] }: TypeSpec): string[] {
  const inner = [items, additionalProperties, ...oneOf].filter((type) => type !== undefined);
  return [...($ref === undefined ? [] : [$ref]), ...inner.flatMap(referencesOf)];
}

/** A paragraph of sentences that every language's documentation can show. */
const PLAIN = /^[A-Z`](?!.*(\{@|@\w+ |\n|promise|pulumi\.)).{3,}\.$/;

describe("the schema describes", () => {
  it.each(everyProperty())("%s", (_path, { description }) => {
    expect(description).toMatch(PLAIN);
  });

  it.each(Object.entries({ ...schema.resources, ...schema.functions }))("%s", (_token, { description }) => {
    for (const paragraph of description.split("\n\n")) expect(paragraph).toMatch(PLAIN);
  });
});

it("every type that a property refers to exists, and every type is referred to", () => {
  const named = everyProperty()
    .flatMap(([, property]) => referencesOf(property))
    .filter((reference) => reference !== "pulumi.json#/Any");
  expect([...new Set(named)].sort()).toEqual(Object.keys(schema.types).map((token) => `#/types/${token}`));
});

describe.each(kinds.map((kind) => [kind.name, kind] as const))("the schema of %s", (name, kind) => {
  const resource = schema.resources[`cloudservices:index:${name}`];
  if (!resource?.properties) throw new Error(`The schema has no ${name}.`);
  const { inputProperties, properties, requiredInputs = [], required } = resource;
  const marked = (fields: Properties, mark: keyof PropertySpec) =>
    Object.keys(fields).filter((field) => fields[field]?.[mark] === true);
  const namesWhere = <T>(fields: Readonly<Record<string, T>>, holds: (field: T) => boolean) =>
    Object.entries(fields).flatMap(([field, rule]) => (holds(rule) ? [field] : []));
  const all = { ...kind.inputs, ...kind.outputs };

  it("has every field", () => {
    expect(Object.keys(inputProperties).filter((field) => field !== "adopt")).toEqual(
      Object.keys(kind.inputs),
    );
    expect(Object.keys(properties)).toEqual(Object.keys(all));
  });

  it("requires what a program must set, and marks secrets and replacements", () => {
    expect(requiredInputs).toEqual(namesWhere(kind.inputs, ({ optional }) => !optional));
    expect(required).toEqual(namesWhere(all, ({ optional }) => !optional));
    expect(marked(inputProperties, "secret")).toEqual(
      namesWhere(kind.inputs, ({ secret }) => secret === true),
    );
    expect(marked(properties, "secret")).toEqual(namesWhere(all, ({ secret }) => secret === true));
    expect(marked(inputProperties, "willReplaceOnChanges")).toEqual(
      namesWhere(kind.inputs, ({ onChange }) => onChange === "replace"),
    );
  });

  it("names every default in the description, and leaves it to the plugin", () => {
    for (const [field, { default: fallback }] of Object.entries(kind.inputs)) {
      if (fallback === undefined) continue;
      expect(inputProperties[field]?.description).toMatch(
        new RegExp(`Default: \`?${String(fallback)}\`?\\.`),
      );
      expect(inputProperties[field]).not.toHaveProperty("default");
    }
  });
});

it("the schema has every class and function of the package", () => {
  const isFunction = (name: string) => `${name}Output` in program;
  const exported = Object.keys(program).filter((name) => /^[A-Z]/.test(name) || isFunction(name));
  const tokens = Object.keys({ ...schema.resources, ...schema.functions });
  expect(tokens.sort()).toEqual(exported.map((name) => `cloudservices:index:${name}`).sort());
});

it.each(Object.entries(functions))(
  "the schema of %s has its arguments, result and secrecy",
  (name, definition) => {
    const spec = schema.functions[`cloudservices:index:${name}`];
    expect(Object.keys(spec?.inputs.properties ?? {})).toEqual(Object.keys(definition.args));
    const outputs = spec?.outputs.properties ?? {};
    expect(Object.keys(outputs).length).toBeGreaterThan(0);
    if (definition.result !== undefined) expect(Object.keys(outputs)).toEqual([definition.result]);
    for (const { secret } of Object.values(outputs)) expect(secret).toBe(definition.secret);
  },
);

describe("the settings in the schema", () => {
  const { variables } = schema.config;

  it("are all there, and none is required: the environment may set it", () => {
    expect(Object.keys(variables)).toEqual(Object.keys(settingRules));
    expect(Object.keys(schema.provider.inputProperties)).toEqual(Object.keys(settingRules));
    expect(schema.provider).not.toHaveProperty("requiredInputs");
  });

  it("have the defaults that a stack without them has", () => {
    const required = { apiKey: "k", baseUrl: "https://api.example.com/v1" };
    const settings = new Map<string, unknown>(
      Object.entries(
        readSettings((key) => new Map(Object.entries(required)).get(key.split(":")[1] ?? ""), {}),
      ),
    );
    for (const [name, { default: fallback, description = "" }] of Object.entries(variables)) {
      if (fallback === undefined) continue;
      expect(settings.get(name)).toBe(fallback);
      expect(description).toContain(`Default: \`${fallback}\`.`);
    }
  });
});
