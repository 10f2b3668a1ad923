import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { handlers } from "../../../dynamic.js";
import { handlerText } from "./handler-text.js";

it("the handler text never changes, because every existing state contains it", () => {
  expect(handlerText("Link")).toBe(
    "exports.handler=()=>require('pulumi-cloudservices/dynamic').handlers.Link",
  );
});

describe("the handler text, run by the host", () => {
  let folder: string;

  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "handler-text-")));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function install(code: string) {
    const root = join(folder, "node_modules/pulumi-cloudservices");
    mkdirSync(root, { recursive: true });
    writeFileSync(join(root, "package.json"), '{ "exports": { "./dynamic": "./dynamic.js" } }');
    writeFileSync(join(root, "dynamic.js"), code);
  }

  function load(kind: string): unknown {
    const exports: { handler?: () => unknown } = {};
    const run = new Function("exports", "require", handlerText(kind));
    run(exports, createRequire(join(folder, "host.js")));
    return exports.handler?.();
  }

  it("loads the handler of the kind", () => {
    install("exports.handlers = { Link: 'the handler of links' };");
    expect(load("Link")).toBe("the handler of links");
  });

  it("is short, and names a missing package without recommending to install one", () => {
    expect(() => load("Link")).toThrow("Cannot find module 'pulumi-cloudservices/dynamic'");
    expect(handlerText("VpsInstance").length).toBeLessThanOrEqual(120);
  });

  it("passes on the error when another module is missing", () => {
    install('require("some-dependency");');
    expect(() => load("Link")).toThrow("Cannot find module 'some-dependency'");
  });
});

describe("the handlers", () => {
  it("reject a kind of a newer version by its name", () => {
    const lookUp = (kind: string): unknown => Reflect.get(handlers, kind);
    expect(() => lookUp("Bucket")).toThrow(/no resource kind "Bucket".*newer version/s);
    expect(lookUp("Link")).toBeDefined();
  });

  it("can be inspected like any other object", () => {
    expect(Object.keys(handlers)).toContain("Database");
    expect(Reflect.get(handlers, Symbol.toStringTag)).toBeUndefined();
    expect(Reflect.get(handlers, "then")).toBeUndefined();
    expect(JSON.stringify(handlers)).toContain("Link");
  });
});
