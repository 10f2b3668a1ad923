/*
 * The part of Pulumi's package schema that this package uses: https://www.pulumi.com/docs/iac/guides/building-extending/packages/schema/
 */

export interface TypeSpec {
  readonly type?: "string" | "integer" | "number" | "boolean" | "array" | "object";
  readonly items?: TypeSpec;
  readonly additionalProperties?: TypeSpec;
  readonly oneOf?: readonly TypeSpec[];
  readonly $ref?: string;
}

export interface PropertySpec extends TypeSpec {
  readonly description?: string;
  readonly default?: string | number | boolean;
  readonly defaultInfo?: { readonly environment: readonly string[] };
  readonly secret?: true;
  readonly willReplaceOnChanges?: true;
  readonly deprecationMessage?: string;
}

export type Properties = Readonly<Record<string, PropertySpec>>;

export interface ObjectSpec {
  readonly type: "object";
  readonly description?: string;
  readonly properties: Properties;
  readonly required?: readonly string[];
}

export interface EnumSpec {
  readonly type: "string";
  readonly description: string;
  readonly enum: readonly { readonly name: string; readonly value: string }[];
}

export interface ResourceSpec {
  readonly description: string;
  readonly properties?: Properties;
  readonly required?: readonly string[];
  readonly inputProperties: Properties;
  readonly requiredInputs?: readonly string[];
  readonly deprecationMessage?: string;
}

export interface FunctionSpec {
  readonly description: string;
  readonly inputs: ObjectSpec;
  readonly outputs: ObjectSpec;
  readonly deprecationMessage?: string;
}

export interface PackageSchema {
  readonly name: string;
  readonly displayName: string;
  readonly version: string;
  readonly description: string;
  readonly keywords: readonly string[];
  readonly license: string;
  readonly meta: { readonly moduleFormat: string };
  readonly config: { readonly variables: Properties };
  readonly types: Readonly<Record<string, ObjectSpec | EnumSpec>>;
  readonly provider: ResourceSpec;
  readonly resources: Readonly<Record<string, ResourceSpec>>;
  readonly functions: Readonly<Record<string, FunctionSpec>>;
  readonly language: Readonly<Record<string, object>>;
}
