import { runtime } from "@pulumi/pulumi";
import { afterEach, expect, it, vi } from "vitest";
import { connect } from "./connection.js";

const configure = (config: Record<string, string>) =>
  runtime.setAllConfig(
    Object.fromEntries(Object.entries(config).map(([key, value]) => [`cloudservices:${key}`, value])),
  );

afterEach(() => {
  runtime.setAllConfig({});
  vi.unstubAllEnvs();
});

it("each configuration has its own client", () => {
  configure({ apiKey: "one", baseUrl: "https://api.test/v1" });
  const first = connect().api;
  expect(connect().api).toBe(first);
  configure({ apiKey: "two", baseUrl: "https://api.test/v1" });
  expect(connect().api).not.toBe(first);
});

it("the environment is the fallback for the configuration", () => {
  vi.stubEnv("CLOUDSERVICES_API_KEY", "from-the-environment");
  vi.stubEnv("CLOUDSERVICES_BASE_URL", "https://environment.test/v1");
  configure({ baseUrl: "https://configured.test/v1/" });
  expect(connect().settings).toMatchObject({
    apiKey: "from-the-environment",
    baseUrl: "https://configured.test/v1",
  });
});
