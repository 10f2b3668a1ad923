import fc from "fast-check";
import { z } from "zod";
import {
  flag,
  integer,
  listOf,
  sameInstant,
  sameMembers,
  text,
  timestamp,
  webUrl,
} from "../kernel/definition/fields.js";
import type { Kind } from "../kernel/definition/kind.js";
import type { Properties } from "../kernel/definition/properties.js";
import { PlannedNames } from "../kernel/plan/planned-names.js";
import { readSettings } from "../kernel/settings/read-settings.js";
import type { Settings } from "../kernel/settings/settings.js";
import { outputsOf } from "../kernel/state/outputs.js";
import { check, diff } from "./operations.js";

interface Inputs {
  name?: string;
  url: string;
  size: string;
  region: string;
  until?: string;
  tags?: string[];
  keys?: unknown[];
  secret?: string;
  count?: number;
  loud?: boolean;
}

export const kind: Kind<Inputs, { id: string }> = {
  name: "Thing",
  inputs: {
    name: { schema: text(), onChange: "update", optional: true },
    url: { schema: webUrl(), onChange: "update" },
    size: { schema: text(), onChange: "update", allowedValues: ["small", "large"] },
    region: { schema: text(), onChange: "replace" },
    until: { schema: timestamp(), onChange: "update", optional: true, isEquivalent: sameInstant },
    tags: { schema: listOf(text(), "tags"), onChange: "update", optional: true, isEquivalent: sameMembers },
    keys: { schema: listOf(z.unknown(), "values"), onChange: "replace", optional: true },
    secret: { schema: text(), onChange: "update", optional: true, secret: true },
    count: { schema: integer(1, 9), onChange: "update", optional: true, default: 1 },
    loud: { schema: flag(), onChange: "update", optional: true, documentedChange: true },
  },
  outputs: {},
  timeouts: { create: 1, update: 1, delete: 1 },
  naming: { field: "name", form: "readable" },
  id: (remote) => remote.id,
  create: async () => ({ id: "x" }),
  read: async () => ({ id: "x" }),
  delete: async () => undefined,
};

export const urn = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/cloudservices:Thing::thing";

export const valid = { url: "https://example.com", size: "small", region: "eu", __urn: urn };

export const settingsWith = (config: Record<string, string> = {}): Settings =>
  readSettings(
    (key) =>
      ({ "cloudservices:apiKey": "key", "cloudservices:baseUrl": "https://api.test/v1", ...config })[key],
    {},
  );

export const settings = settingsWith();

export const checked = (news: Properties, olds: Properties = {}, names = new PlannedNames(), by = settings) =>
  check(kind, olds, news, by, names);

export const outputsFor = (
  inputs: Properties,
  found: { ready: boolean; failed?: string } = { ready: true },
) => outputsOf(kind, settings, inputs, undefined, {}, found);

export const difference = (olds: Properties, news: Properties) =>
  diff(kind, outputsFor(olds), news, settings, new PlannedNames(), 0);

export const inputs = fc.record(
  {
    url: fc.webUrl(),
    size: fc.constantFrom("small", "large"),
    region: fc.constantFrom("eu", "us"),
    until: fc
      .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
      .map((date) => date.toISOString()),
    tags: fc.array(fc.string({ minLength: 1 })),
    count: fc.integer({ min: 1, max: 9 }),
    loud: fc.boolean(),
    secret: fc.string({ minLength: 1 }),
  },
  { requiredKeys: ["url", "size", "region"] },
);
