import { describe, expect, it } from "vitest";
import { interruptedIn, maskedUri, resourcesIn, summaryOf, table } from "./resources.mjs";

const secret = (value: unknown) => ({
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  plaintext: JSON.stringify(value),
});

const plain = { engine: "postgresql", version: "16", status: "ready", host: "db.example", port: 5432 };

const exported = JSON.stringify({
  version: 3,
  deployment: {
    resources: [
      {
        type: "pulumi:pulumi:Stack",
        urn: "urn:pulumi:local::quickstart::pulumi:pulumi:Stack::quickstart-local",
      },
      {
        type: "pulumi-nodejs:dynamic/cloudservices:Database",
        urn: "urn:pulumi:local::quickstart::pulumi-nodejs:dynamic/cloudservices:Database::orders",
        id: "db_1",
        outputs: { ...plain, connectionUri: secret("postgresql://u:hunter22@db.example:5432/d") },
      },
      {
        type: "pulumi-nodejs:dynamic/cloudservices:Database",
        urn: "urn:pulumi:local::quickstart::pulumi-nodejs:dynamic/cloudservices:Database::orders",
        id: "db_0",
        delete: true,
      },
    ],
    pending_operations: [
      {
        type: "creating",
        resource: { urn: "urn:pulumi:local::q::pulumi-nodejs:dynamic/cloudservices:Link::home" },
      },
    ],
  },
});

describe("an exported state", () => {
  it("is read with its secrets, without the stack and pending deletions", () => {
    expect(resourcesIn(exported)).toEqual([
      {
        kind: "Database",
        name: "orders",
        id: "db_1",
        outputs: { ...plain, connectionUri: "postgresql://u:hunter22@db.example:5432/d" },
      },
    ]);
    expect(resourcesIn('{"version":3}')).toEqual([]);
  });

  it("names the resources that a killed engine was working on", () => {
    expect(interruptedIn(exported)).toEqual(["Link home"]);
    expect(interruptedIn('{"version":3,"deployment":{}}')).toEqual([]);
  });

  it("is summarised without its secrets", () => {
    const seen = resourcesIn(exported).map(summaryOf);
    expect(seen).toEqual(["postgresql 16, db.example:5432, ready"]);
    const webhook = {
      kind: "Webhook",
      name: "w",
      id: "wh_1",
      outputs: { url: "https://h.example", secret: "whsec_1" },
    };
    expect(summaryOf(webhook)).toBe("https://h.example, secret [secret]");
  });
});

describe("a masked connection URI", () => {
  it.each([
    ["redis://:hunter22@host:6379/0", "redis://:[secret]@host:6379/0"],
    ["postgresql://u:a%40b@host/d?sslmode=require", "postgresql://u:[secret]@host/d?sslmode=require"],
    ["https://host/path", "https://host/path"],
  ])("of %s is %s", (uri, masked) => {
    expect(maskedUri(uri)).toBe(masked);
  });
});

it("makes a table's columns as wide as their widest cell", () => {
  expect(
    table([
      ["A", "B"],
      ["long", "x"],
      ["s", ""],
    ]),
  ).toBe("A     B\nlong  x\ns");
});
