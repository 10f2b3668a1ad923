import { accessSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { flagNames, variableOf } from "./cli-flag-table.js";
import { parseCommand } from "./cli-flags.js";

const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), "utf8");
const dockerfile = read("Dockerfile");

test.each(["Dockerfile", "compose.yaml"])("%s sets variables that exist", (name) => {
  const variables = read(name).match(/\bCLOUDSERVICES_SANDBOX_\w+/g) ?? [];
  expect(variables.length).toBeGreaterThan(0);
  expect(flagNames.map(variableOf)).toEqual(expect.arrayContaining(variables));
});

test("the files that the image is made of exist", () => {
  const paths = dockerfile.match(/(?<=[ /])sandbox(\/[\w.-]+)+/g) ?? [];
  expect(paths).toEqual(expect.arrayContaining(["sandbox/web", "sandbox/bin/cloudservices-sandbox.mjs"]));
  for (const path of paths) accessSync(new URL(`../../${path}`, import.meta.url));
  expect(read("compose.yaml")).toContain("dockerfile: sandbox/Dockerfile");
});

test("the image listens on the ports that it exposes, and checks its health there", () => {
  const environment = Object.fromEntries(
    [...dockerfile.matchAll(/^ENV (\w+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]),
  );
  const started = parseCommand([], environment);
  expect(started).toMatchObject({ options: { host: "0.0.0.0", publicHost: "localhost", data: "/data" } });
  const { port, postgresPort, postgresPoolPort, smtpPort } = started.do === "start" ? started.options : {};
  const exposed = /^EXPOSE (.*)$/m.exec(dockerfile)?.[1]?.split(" ").map(Number);
  expect(exposed).toEqual([port, postgresPort, postgresPoolPort, smtpPort]);
  expect(read("compose.yaml")).toContain(`:${port}-${smtpPort}:${port}-${smtpPort}"`);
  const [, ...check] = JSON.parse(/^HEALTHCHECK .* CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? "[]");
  expect(parseCommand(check.map(String), environment)).toEqual({ do: "health", host: "0.0.0.0", port });
});
