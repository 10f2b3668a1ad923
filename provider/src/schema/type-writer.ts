import ts from "typescript";
import { pascal, singular, token, valueName } from "./names.js";
import type { EnumSpec, ObjectSpec, PropertySpec, TypeSpec } from "./package-schema.js";
import { checker, describe, isWhole, typeArguments } from "./source.js";

const ANY: TypeSpec = { $ref: "pulumi.json#/Any" };

/** What a type belongs to, for its name and its kind of number. */
interface Place {
  /** The name of a type that is declared here. */
  readonly name: string;
  readonly symbol: ts.Symbol;
  /** The order of the values of an enum; without it, they are sorted. */
  readonly order?: readonly string[] | undefined;
  /** The number is whole, although its declaration does not show it. */
  readonly integer?: boolean | undefined;
  /** Only the service sets the value. An open enum is a plain text then: programs of typed languages read it as one. */
  readonly isResult?: boolean | undefined;
}

/** Translates types of TypeScript to the schema, and collects the types that need a name. */
export class TypeWriter {
  readonly types: Record<string, ObjectSpec | EnumSpec> = {};

  /** Returns a type. That a value may be missing is no part of it. */
  specOf(given: ts.Type, place: Place): TypeSpec {
    if (given.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return ANY;
    const type = checker.getNonNullableType(given);
    const parts = type.isUnion() ? type.types : [type];
    if (parts.every(({ flags }) => flags & ts.TypeFlags.BooleanLike)) return { type: "boolean" };
    if (parts.every(({ flags }) => flags & ts.TypeFlags.NumberLike))
      return { type: place.integer || isWhole(place.symbol) ? "integer" : "number" };
    if (parts.every(isText)) return this.#text(parts, place);
    if (type.isUnion()) return { oneOf: parts.map((part) => this.specOf(part, place)) };
    return this.#composite(type, place);
  }

  /** Returns the property that a symbol declares, with its description. */
  propertyOf(symbol: ts.Symbol, name: string, isResult: boolean): PropertySpec {
    const place = { name, symbol, isResult };
    return { ...this.specOf(checker.getTypeOfSymbol(symbol), place), ...describe(symbol) };
  }

  /** Returns the properties of a type, with those that are always there. */
  objectOf(type: ts.Type, owner: string, isResult: boolean): ObjectSpec {
    const members = checker.getPropertiesOfType(type);
    const properties = members.map((member) => [
      member.name,
      this.propertyOf(member, owner + pascal(member.name), isResult),
    ]);
    const required = members.filter((member) => !isOptional(member)).map(({ name }) => name);
    return {
      type: "object",
      properties: Object.fromEntries(properties),
      ...(required.length > 0 ? { required } : {}),
    };
  }

  #composite(type: ts.Type, place: Place): TypeSpec {
    if (checker.isArrayLikeType(type)) {
      const [item] = typeArguments(type);
      if (!item) throw new Error(`${place.name} is a list without a type of its items.`);
      return { type: "array", items: this.specOf(item, { ...place, name: singular(place.name) }) };
    }
    const values = checker.getIndexTypeOfType(type, ts.IndexKind.String);
    if (values) return { type: "object", additionalProperties: this.specOf(values, place) };
    if (!(type.flags & ts.TypeFlags.Object))
      throw new Error(`${place.name} has a type without an equivalent: ${checker.typeToString(type)}.`);
    return this.#named(place.name, this.objectOf(type, place.name, place.isResult === true));
  }

  /** Returns a text. Literals among its types are the values of an enum, which is open if other texts are possible. */
  #text(parts: readonly ts.Type[], { name, order, isResult }: Place): TypeSpec {
    const values = parts.flatMap((part) => (part.isStringLiteral() ? [part.value] : [])).sort();
    const isOpen = values.length < parts.length;
    if (values.length === 0 || (isOpen && isResult)) return { type: "string" };
    if (order && order.toSorted().join() !== values.join())
      throw new Error(`${name} lists ${order.join()}, but its type has ${values.join()}.`);
    const reference = this.#named(name, {
      type: "string",
      description: isOpen ? "The listed values. The service may accept others." : "The possible values.",
      enum: (order ?? values).map((value) => ({ name: valueName(value), value })),
    });
    return isOpen ? { oneOf: [{ type: "string" }, reference] } : reference;
  }

  #named(name: string, type: ObjectSpec | EnumSpec): TypeSpec {
    const found = this.types[token(name)];
    if (found && JSON.stringify(found) !== JSON.stringify(type))
      throw new Error(`Two types have the name ${name}.`);
    this.types[token(name)] = type;
    return { $ref: `#/types/${token(name)}` };
  }
}

/** Returns whether a type is a text, also as `string & {}`, which keeps the literals beside it apart. */
function isText(type: ts.Type): boolean {
  if (type.isIntersection()) return type.types.some(({ flags }) => flags & ts.TypeFlags.StringLike);
  return Boolean(type.flags & ts.TypeFlags.StringLike);
}

const isOptional = (symbol: ts.Symbol): boolean =>
  Boolean(symbol.flags & ts.SymbolFlags.Optional) || mayBeMissing(checker.getTypeOfSymbol(symbol));

export const mayBeMissing = (type: ts.Type): boolean =>
  type.isUnion() && type.types.some(({ flags }) => flags & ts.TypeFlags.Undefined);
