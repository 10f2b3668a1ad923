import { fileURLToPath } from "node:url";
import { testStack } from "pulumi-cloudservices/testing";
import { expect, inject, it } from "vitest";
import { closeLater } from "../support/folder.js";

const example = fileURLToPath(new URL("../../examples/javascript", import.meta.url));

it("the example in plain JavaScript runs as it is, and its secret is encrypted", async () => {
  const stack = await testStack(example, { env: inject("engineSettings") });
  closeLater(() => stack.close());

  const { summary, outputs } = await stack.up();
  expect(summary).toEqual({ create: 3 });
  expect(outputs["databaseUri"]?.secret).toBe(true);
  const uri = new URL(String(outputs["databaseUri"]?.value));
  expect(await stack.state()).not.toContain(uri.password);
  const link = stack.sandbox.resources().find(({ kind }) => kind === "Link");
  expect(link?.fields["destination_url"]).toBe(`mailto:${outputs["address"]?.value}`);
  expect((await stack.preview()).summary).toEqual({ same: 3 });
});

it("a folder without a project is reported", async () => {
  await expect(testStack(`${example}/nowhere`)).rejects.toThrow("nowhere");
  await expect(testStack(fileURLToPath(new URL(".", import.meta.url)))).rejects.toThrow("project settings");
});
