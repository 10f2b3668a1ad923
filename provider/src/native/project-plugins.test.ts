import { describe, expect, it } from "vitest";
import { projectPlugins } from "./project-plugins.js";

const own = { name: "cloudservices", path: "node_modules/pulumi-cloudservices/plugin" };

describe("the plugins of a project's file", () => {
  it.each([
    [
      "the lines of the documentation",
      `name: shop
runtime: nodejs
plugins:
  providers:
    - name: cloudservices
      path: node_modules/pulumi-cloudservices/plugin
`,
      [own],
    ],
    [
      "quotes, comments, another order and another plugin",
      `plugins: # of this project
  # the providers
  providers:
  - path: "node_modules/pulumi-cloudservices/plugin" # in the package
    name: 'cloudservices'   # the name

  -
    name: other
    version: 1.0.0
    path: ../other#1
description: the shop
`,
      [own, { name: "other", path: "../other#1" }],
    ],
    [
      "Windows line ends",
      "plugins:\r\n  providers:\r\n    - name: a\r\n      path: b\r\n",
      [{ name: "a", path: "b" }],
    ],
    ["a project with the plugin's name", "name: cloudservices\nruntime: nodejs\n", []],
    ["a comment", "name: shop\n# plugins:\n#   providers:\n#     - name: cloudservices\n", []],
    [
      "a package",
      "name: shop\npackages:\n  cloudservices: node_modules/x\nconfig:\n  - name: cloudservices\n",
      [],
    ],
  ])("%s", (_, text, expected) => {
    expect(projectPlugins(text)).toEqual(expected);
  });

  it.each([
    ["in braces", "name: shop\nplugins: { providers: [ { name: cloudservices, path: x } ] }\n"],
    ["in braces below", "plugins:\n  providers:\n    - { name: cloudservices, path: x }\n"],
    ["in JSON", '{ "name": "shop", "plugins": {} }'],
  ])("%s are unknown", (_, text) => {
    expect(projectPlugins(text)).toBeUndefined();
  });
});
