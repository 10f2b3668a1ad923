import type ts from "typescript";
import type { Definition, Input, Output } from "../kernel/definition/kind.js";
import { ofEachKind } from "../resources/index.js";
import { pascal, token } from "./names.js";
import type { Properties, PropertySpec, ResourceSpec } from "./package-schema.js";
import { checker, deprecationOf, describe, docOf, exportOf } from "./source.js";
import type { TypeWriter } from "./type-writer.js";

/** What the schema takes from the definition of a kind. */
export interface KindFields {
  readonly name: string;
  readonly inputs: Readonly<Record<string, Input<unknown, never>>>;
  readonly outputs: Readonly<Record<string, Output<never>>>;
}

/** The kinds by name. */
export const kinds: readonly KindFields[] = Object.values(
  ofEachKind(
    <I extends object, O extends object, R extends object>({
      name,
      inputs,
      outputs,
    }: Definition<I, O, R>): KindFields => ({ name, inputs, outputs }),
  ),
);

/** Returns the file of a kind in `provider/src`. */
export const fileOf = (kind: string) =>
  `resources/${kind.replace(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`).toLowerCase()}.ts`;

/** Returns a type that the file of a kind exports. */
export const typeOf = (kind: string, name: string): ts.Type =>
  checker.getDeclaredTypeOfSymbol(exportOf(fileOf(kind), name));

/** Returns the name of the enum of a field. A kind and an enum cannot share one. */
const enumName = (kind: string, field: string): string =>
  kind.endsWith(pascal(field)) ? `${kind}Name` : kind + pascal(field);

/** Returns the input that every adoptable kind has besides those of its definition. */
function adoptIn(kind: string): Properties {
  const adopt = checker.getPropertyOfType(typeOf(kind, `${kind}Args`), "adopt");
  return adopt ? { adopt: { type: "string", ...describe(adopt) } } : {};
}

function resourceOf({ name: kind, inputs, outputs }: KindFields, types: TypeWriter): ResourceSpec {
  const symbols = (name: string) =>
    new Map(checker.getPropertiesOfType(typeOf(kind, name)).map((symbol) => [symbol.name, symbol]));
  const inputSymbols = symbols(`${kind}Inputs`);
  const outputSymbols = symbols(`${kind}Outputs`);

  function fieldOf(
    field: string,
    symbol: ts.Symbol | undefined,
    rule: Partial<Input<unknown, never> & Output<never>>,
    isResult: boolean,
  ) {
    if (!symbol) throw new Error(`${kind}.${field} has no type.`);
    const name = enumName(kind, field);
    const place = { name, symbol, order: rule.allowedValues, integer: rule.integer, isResult };
    const property: PropertySpec = {
      ...types.specOf(checker.getTypeOfSymbol(symbol), place),
      ...describe(symbol),
      ...(rule.secret ? { secret: true } : {}),
    };
    return property;
  }

  const shared: Record<string, PropertySpec> = {};
  const inputProperties: Record<string, PropertySpec> = {};
  for (const [field, input] of Object.entries(inputs)) {
    const property = fieldOf(field, inputSymbols.get(field), input, false);
    shared[field] = property;
    inputProperties[field] = {
      ...property,
      ...(input.onChange === "replace" ? { willReplaceOnChanges: true } : {}),
    };
  }
  const results = Object.entries(outputs).map(([field, output]) => [
    field,
    fieldOf(field, outputSymbols.get(field), output, true),
  ]);
  const required = (fields: Readonly<Record<string, { readonly optional?: true }>>) =>
    Object.keys(fields).filter((field) => !fields[field]?.optional);
  const declared = exportOf("index.ts", kind);
  return {
    description: docOf(declared),
    properties: { ...shared, ...Object.fromEntries(results) },
    required: [...required(inputs), ...required(outputs)],
    inputProperties: { ...inputProperties, ...adoptIn(kind) },
    ...(required(inputs).length > 0 ? { requiredInputs: required(inputs) } : {}),
    ...deprecationOf(declared),
  };
}

/** Returns the resources by token. */
export const resourcesOf = (types: TypeWriter): Readonly<Record<string, ResourceSpec>> =>
  Object.fromEntries(kinds.map((kind) => [token(kind.name), resourceOf(kind, types)]));
