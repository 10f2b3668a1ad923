import { expect, it } from "vitest";
import { pluginPath } from "./ensure.mjs";

it.each([
  ["linux", "x64", "linux_amd64"],
  ["darwin", "arm64", "darwin_arm64"],
])("places the provider where tofu init expects it on %s %s", (platform, arch, machine) => {
  expect(pluginPath(platform, arch)).toBe(
    `registry.opentofu.org/mastercard/restapi/1.20.0/${machine}/terraform-provider-restapi_v1.20.0`,
  );
});
