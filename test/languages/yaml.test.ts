import { expect, inject, it } from "vitest";
import { filesOf, liveThrough } from "./quickstart.js";

const { yaml: host } = inject("hosts");

it.skipIf("missing" in host)("the quickstart in YAML works from up to destroy", async () => {
  if ("missing" in host) throw new Error(host.missing);
  expect(host.found.name).toBe("yaml");
  await liveThrough({
    host: host.found,
    program: "Pulumi.yaml",
    files: filesOf("yaml-quickstart", ["Pulumi.yaml"]),
  });
});
