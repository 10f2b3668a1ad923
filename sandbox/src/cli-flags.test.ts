import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type FlagName, flagNames, unknownVariables, usage, variableOf } from "./cli-flag-table.js";
import { parseCommand } from "./cli-flags.js";

test("without flags it starts on the port that never changes", () => {
  expect(parseCommand([])).toMatchObject({ do: "start", options: { port: 4780, profile: "conventional" } });
});

test("flags become options", () => {
  expect(
    parseCommand(["--port", "0", "--profile=documented", "--provisioning-ms", "5", "--data", "x"]),
  ).toMatchObject({
    do: "start",
    options: { port: 0, profile: "documented", provisioning: { databaseMs: 5, vpsMs: 5 }, data: "x" },
  });
});

test("name servers are listed one by one", () => {
  const flags = ["--allow-outbound", "--name-server", "9.9.9.9", "--name-server", "[2620:fe::fe]:53"];
  expect(parseCommand(flags)).toMatchObject({
    options: { allowOutbound: true, nameServers: ["9.9.9.9", "[2620:fe::fe]:53"] },
  });
});

test.each([
  [["--port", "65536"], /--port takes a whole number from 0 to 65535/],
  [["--port", "-1"], /--port/],
  [["--port", "1e3"], /--port/],
  [["--port", ""], /--port/],
  [["--port"], /--port/],
  [["--profile", "strict"], /--profile takes conventional or documented/],
  [["--provisioning-ms", "soon"], /--provisioning-ms/],
  [["--nonsense"], /--nonsense/],
  [["positional"], /positional/],
])("%j is refused in one line", (args, why) => {
  const command = parseCommand(args);
  expect(command).toMatchObject({ do: "refuse", why: expect.stringMatching(why) });
  expect(JSON.stringify(command)).not.toContain("\\n");
});

/** A value of each flag that differs from its default. */
const examples: Readonly<Record<FlagName, string>> = {
  port: "1234",
  host: "::1",
  "host-name": "one.test, two.test",
  "public-host": "sandbox.test",
  "cors-origin": "https://a.test, https://b.test",
  profile: "documented",
  "provisioning-ms": "7",
  data: "folder",
  "compact-after": "8",
  postgres: "simulated",
  "postgres-port": "2345",
  "pool-port": "3456",
  "smtp-port": "4567",
  "offer-starttls": "true",
  import: "state.gz",
  seed: "seeds",
  "outbound-host": "app, worker.test",
  "allow-outbound": "true",
  "name-server": "9.9.9.9,[2620:fe::fe]:53",
  "idempotency-keys": "1",
  "summary-lists": "true",
};

test.each(flagNames)("--%s is an environment variable, too, and the flag takes precedence", (flag) => {
  const value = examples[flag];
  const variables = { [variableOf(flag)]: value };
  const isSwitch = ["true", "1"].includes(value);
  const args = isSwitch ? [`--${flag}`] : value.split(/, ?/).map((each) => `--${flag}=${each}`);
  const byFlag = parseCommand(args);
  expect(byFlag).not.toEqual(parseCommand([]));
  expect(parseCommand([], variables)).toEqual(byFlag);
  expect(parseCommand(args, { [variableOf(flag)]: isSwitch ? "false" : "0" })).toEqual(byFlag);
  expect(parseCommand([], { [variableOf(flag)]: "" })).toEqual(parseCommand([]));
});

test("a wrong variable is refused by its name", () => {
  expect(parseCommand([], { CLOUDSERVICES_SANDBOX_SMTP_PORT: "many" })).toMatchObject({
    why: expect.stringMatching(/^CLOUDSERVICES_SANDBOX_SMTP_PORT takes a whole number/),
  });
  expect(parseCommand([], { CLOUDSERVICES_SANDBOX_SUMMARY_LISTS: "yes" })).toMatchObject({
    why: 'CLOUDSERVICES_SANDBOX_SUMMARY_LISTS takes true or false, not "yes"',
  });
});

test("what Kubernetes sets for a Service is no setting, and a misspelt one is found", () => {
  const kubernetes = {
    CLOUDSERVICES_SANDBOX_PORT: "tcp://10.0.0.1:4780",
    CLOUDSERVICES_SANDBOX_PORT_4780_TCP: "tcp://10.0.0.1:4780",
    CLOUDSERVICES_SANDBOX_SERVICE_HOST: "10.0.0.1",
  };
  expect(parseCommand([], kubernetes)).toEqual(parseCommand([]));
  expect(unknownVariables({ ...kubernetes, PATH: "/bin", CLOUDSERVICES_SANDBOX_PROT: "1" })).toEqual([
    "CLOUDSERVICES_SANDBOX_PROT",
  ]);
});

test("health asks where a sandbox of the same flags listens", () => {
  expect(parseCommand(["health"])).toEqual({ do: "health", host: "127.0.0.1", port: 4780 });
  expect(parseCommand(["health", "--host", "::"], { CLOUDSERVICES_SANDBOX_PORT: "99" })).toEqual({
    ...{ do: "health", host: "::", port: 99 },
  });
  expect(parseCommand(["health", "--port", "0"])).toMatchObject({ do: "refuse" });
  expect(parseCommand(["health", "twice"])).toMatchObject({
    do: "refuse",
    why: expect.stringContaining("twice"),
  });
});

test("help and version are printed", () => {
  expect(parseCommand(["-h"])).toEqual({ do: "help" });
  expect(parseCommand(["--version"])).toEqual({ do: "version" });
});

const documentation = readFileSync(new URL("../../docs/sandbox.md", import.meta.url), "utf8");
const table = documentation.split(/^## /m).find((section) => section.startsWith("Flags and options")) ?? "";

test.each([...flagNames, "help", "version"])("--%s is in the help and in docs/sandbox.md", (flag) => {
  expect(usage).toMatch(new RegExp(`--${flag}(?![\\w-])`));
  expect(table).toContain(`\`--${flag}\``);
});
