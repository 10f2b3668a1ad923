import { fileURLToPath } from "node:url";
import ts from "typescript";

/*
 * The compiler's view of the package: the types of its definitions, and the comments on them.
 */

const root = fileURLToPath(new URL("../../../", import.meta.url));

const program = ts.createProgram([`${root}provider/src/index.ts`, `${root}provider/src/functions/index.ts`], {
  strict: true,
  exactOptionalPropertyTypes: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  noEmit: true,
  skipLibCheck: true,
  types: ["node"],
  // The declarations that the sdk publishes have no comments on the members of its responses.
  paths: { "cloudservices-sdk": [`${root}sdk/src/index.ts`] },
});

export const checker = program.getTypeChecker();

/** Returns what a file of the provider exports under a name. */
export function exportOf(file: string, name: string): ts.Symbol {
  const source = program.getSourceFile(`${root}provider/src/${file}`);
  const module = source && checker.getSymbolAtLocation(source);
  const found = module && checker.getExportsOfModule(module).find((symbol) => symbol.name === name);
  if (!found) throw new Error(`${file} exports no ${name}.`);
  return found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found;
}

/** Returns the property of a type. */
export function propertyOf(type: ts.Type, name: string): ts.Symbol {
  const found = checker.getPropertyOfType(type, name);
  if (!found) throw new Error(`${checker.typeToString(type)} has no ${name}.`);
  return found;
}

/** Returns the arguments of a generic type. */
export const typeArguments = (type: ts.Type): readonly ts.Type[] =>
  isReference(type) ? checker.getTypeArguments(type) : [];

const isReference = (type: ts.Type): type is ts.TypeReference => "target" in type;

/** Returns the comment on a declaration, without its tags; a paragraph is one line. */
export const docOf = (symbol: ts.Symbol): string =>
  ts
    .displayPartsToString(symbol.getDocumentationComment(checker))
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.replace(/\s+/g, " ").trim())
    .filter(Boolean)
    .join("\n\n");

/** Returns why a declaration is deprecated, from its tag. */
export function deprecationOf(symbol: ts.Symbol): { deprecationMessage?: string } {
  const tag = symbol.getJsDocTags(checker).find(({ name }) => name === "deprecated");
  return tag ? { deprecationMessage: ts.displayPartsToString(tag.text) } : {};
}

/** Returns the description of a property with its deprecation. */
export const describe = (symbol: ts.Symbol): { description?: string; deprecationMessage?: string } => {
  const description = docOf(symbol);
  return { ...(description ? { description } : {}), ...deprecationOf(symbol) };
};

/**
 * Returns whether a symbol stands for whole numbers: it, or what it is read from, is declared by the schema `z.int()` or
 * the sdk's type `Integer`.
 */
export const isWhole = (symbol: ts.Symbol): boolean => (symbol.declarations ?? []).some(isWholeIn);

function isWholeIn(declaration: ts.Node): boolean {
  // A member of a response of the sdk.
  if (ts.isPropertySignature(declaration))
    return declaration.type !== undefined && /^Integer\b/.test(declaration.type.getText());
  if (!ts.isPropertyAssignment(declaration)) return false;
  const { initializer } = declaration;
  if (isWholeSchema(checker.getTypeAtLocation(initializer))) return true;
  const [first] = ts.isCallExpression(initializer) ? initializer.arguments : [];
  if (!first) return false;
  // `input(schema, …)`, or `output((remote) => remote.member)`.
  if (!ts.isArrowFunction(first)) return isWholeSchema(checker.getTypeAtLocation(first));
  const read = ts.isPropertyAccessExpression(first.body) && checker.getSymbolAtLocation(first.body.name);
  return read ? isWhole(read) : false;
}

function isWholeSchema(type: ts.Type): boolean {
  if (type.symbol?.name === "ZodInt") return true;
  const wraps = /^Zod(Optional|Nullable|Default|Readonly|Array)$/.test(type.symbol?.name ?? "");
  const [inner] = wraps ? typeArguments(type) : [];
  return inner !== undefined && isWholeSchema(inner);
}
