import ts from "typescript";
import type { AnyFunction } from "../functions/define-function.js";
import { functions } from "../functions/index.js";
import { pascal, token } from "./names.js";
import type { FunctionSpec, ObjectSpec, PropertySpec } from "./package-schema.js";
import { checker, deprecationOf, describe, docOf, exportOf, propertyOf, typeArguments } from "./source.js";
import { mayBeMissing, type TypeWriter } from "./type-writer.js";

/** Returns the object literal that declares something: the value itself, or the argument of `defineFunction`. */
function literalOf(symbol: ts.Symbol): ts.ObjectLiteralExpression {
  const declaration = symbol.valueDeclaration;
  const value = declaration && ts.isVariableDeclaration(declaration) ? declaration.initializer : undefined;
  const literal = value && ts.isCallExpression(value) ? value.arguments[0] : value;
  if (!literal || !ts.isObjectLiteralExpression(literal)) throw new Error(`${symbol.name} is no object.`);
  return literal;
}

/** Returns the symbol of a definition in the list of functions. */
function definitionOf(name: string): ts.Symbol {
  const entry = literalOf(exportOf("functions/index.ts", "functions")).properties.find(
    (property) => property.name?.getText() === name,
  );
  const listed = entry && checker.getShorthandAssignmentValueSymbol(entry);
  if (!listed) throw new Error(`The list of functions has no ${name}.`);
  return checker.getAliasedSymbol(listed);
}

/** Returns the comment on the property `result` of a definition. */
function resultDoc(symbol: ts.Symbol): string {
  const property = literalOf(symbol).properties.find(({ name }) => name?.getText() === "result");
  const declared = property?.name && checker.getSymbolAtLocation(property.name);
  return declared ? docOf(declared) : "";
}

/** Returns the type of the value that an argument's schema accepts. */
function acceptedBy(schema: ts.Symbol): ts.Type {
  const internals = checker.getTypeOfSymbol(propertyOf(checker.getTypeOfSymbol(schema), "_zod"));
  return checker.getTypeOfSymbol(propertyOf(internals, "input"));
}

function inputsOf(shape: ts.Type, owner: string, types: TypeWriter): ObjectSpec {
  const args = checker.getPropertiesOfType(shape);
  const properties = args.map((symbol) => [
    symbol.name,
    {
      ...types.specOf(acceptedBy(symbol), { name: owner + pascal(symbol.name), symbol }),
      ...describe(symbol),
    },
  ]);
  const required = args.filter((symbol) => !mayBeMissing(acceptedBy(symbol))).map(({ name }) => name);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
  };
}

/** Returns the outputs: in a schema, a function returns an object. */
function outputsOf(
  definition: AnyFunction,
  symbol: ts.Symbol,
  result: ts.Type,
  types: TypeWriter,
): ObjectSpec {
  const owner = pascal(definition.name);
  const { result: property } = definition;
  const outputs: ObjectSpec =
    property === undefined
      ? types.objectOf(checker.getNonNullableType(result), owner, true)
      : {
          type: "object",
          properties: {
            [property]: {
              ...types.specOf(result, { name: owner + pascal(property), symbol, isResult: true }),
              description: resultDoc(symbol),
            },
          },
          required: [property],
        };
  const marked = Object.entries(outputs.properties).map(([name, output]): [string, PropertySpec] => [
    name,
    definition.secret ? { ...output, secret: true } : output,
  ]);
  // Without a result, as in a preview, no output is there.
  const { required, ...rest } = outputs;
  const always = required && !mayBeMissing(result) ? { required } : {};
  return { ...rest, properties: Object.fromEntries(marked), ...always };
}

function functionOf(definition: AnyFunction, types: TypeWriter): FunctionSpec {
  const symbol = definitionOf(definition.name);
  const [shape, result] = typeArguments(checker.getTypeOfSymbol(symbol));
  if (!shape || !result) throw new Error(`${definition.name} is not the definition of a function.`);
  return {
    description: docOf(symbol),
    inputs: inputsOf(shape, pascal(definition.name), types),
    outputs: outputsOf(definition, symbol, result, types),
    ...deprecationOf(symbol),
  };
}

/** Returns the functions by token. */
export const functionsOf = (types: TypeWriter): Readonly<Record<string, FunctionSpec>> =>
  Object.fromEntries(
    Object.entries(functions).map(([name, definition]) => [token(name), functionOf(definition, types)]),
  );
