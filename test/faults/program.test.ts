import { createRequire } from "node:module";
import * as pulumi from "@pulumi/pulumi";
import { beforeAll, describe, expect, it } from "vitest";
import { type Fields, type KindName, kinds } from "./evidence/kinds.js";
import type { Declared } from "./evidence/stack.js";
import { declare, PROJECT, referenceIn, registered, STACK, secretsOfKind } from "./program.js";
import { subjects } from "./subjects.js";

const require = createRequire(import.meta.url);
// The built package, as the campaign runs it.
const product: typeof import("../../provider/dist/index.js") = require("../../provider/dist/index.js");

/** What the engine receives when a program registers a resource. */
interface Received {
  readonly type: string;
  readonly inputs: Fields;
}

const received = new Map<string, Received>();

beforeAll(() =>
  pulumi.runtime.setMocks(
    {
      newResource: ({ type, name, inputs }) => {
        received.set(name, { type, inputs });
        return { id: `id-of-${name}`, state: inputs };
      },
      call: () => ({}),
    },
    PROJECT,
    STACK,
  ),
);

const classes: Readonly<Record<KindName, new (...given: never[]) => pulumi.Resource>> = product;

async function receivedFrom({ kind, name, options }: Declared, inputs: Fields): Promise<Received> {
  const Class = classes[kind];
  const { aliases, ...others } = options;
  const made = Reflect.construct(Class, [
    name,
    inputs,
    { ...others, ...(aliases && { aliases: aliases.map((alias) => ({ name: alias })) }) },
  ]);
  await new Promise((resolve) => made.urn.apply(resolve));
  const found = received.get(name);
  if (!found) throw new Error(`${name} was not registered`);
  received.delete(name);
  return found;
}

/** A reference is resolved before `registered` is called; its value is any id. */
const resolved = (inputs: Fields): Fields =>
  Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => {
      const reference = referenceIn(value);
      return [name, reference ? `id-of-${reference.name}` : value];
    }),
  );

/** Every resource that the scenarios declare, in each of its forms. */
const declared = subjects.flatMap(({ name, declared: base, needs, updated, replaced }) =>
  [{}, updated ?? {}, replaced ?? {}, { adopt: "some_1" }].flatMap((change, form) =>
    [base, ...needs].map(
      (each) => [`${name} ${form} ${each.name}`, { ...each, inputs: { ...each.inputs, ...change } }] as const,
    ),
  ),
);

const secretMarkIn = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).includes("1b47061264138c4ac30d75fd1eb44270");

const openedIn = (inputs: Fields): Fields =>
  Object.fromEntries(
    Object.entries(inputs)
      // The runtime leaves out what is undefined only on the wire.
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [
        name,
        typeof value === "object" && value !== null && secretMarkIn(value)
          ? Reflect.get(value, "value")
          : value,
      ]),
  );

describe("the campaign registers the same properties as the real classes", () => {
  it.each(declared)("%s", async (_name, each) => {
    const inputs = resolved(each.inputs);
    const { type, inputs: given } = await receivedFrom(each, inputs);
    expect(`urn:pulumi:${STACK}::${PROJECT}::${type}::${each.name}`).toBe(each.urn);
    expect(openedIn(given)).toEqual(registered(each, inputs));
  });

  it.each([
    { retainOnDelete: true },
    { protect: true },
    { deleteBeforeReplace: true },
    { aliases: ["before"] },
  ])("with the options %o", async (options) => {
    const each = declare("Link", "home", { url: "https://example.com" }, options);
    const { inputs } = await receivedFrom(each, each.inputs);
    expect(openedIn(inputs)).toEqual(registered(each, each.inputs));
  });

  it.each(kinds)("the secrets of %s are the inputs that its class marks", async (kind) => {
    const inputs = Object.assign(
      {},
      ...declared.filter(([, each]) => each.kind === kind).map(([, each]) => each.inputs),
    );
    const { inputs: given } = await receivedFrom(declare(kind, "any", inputs), resolved(inputs));
    const marked = Object.keys(given).filter((name) => secretMarkIn(given[name]));
    expect(marked.every((name) => secretsOfKind[kind].has(name))).toBe(true);
    expect([...secretsOfKind[kind]].filter((name) => name in inputs).sort()).toEqual(marked.sort());
  });
});
