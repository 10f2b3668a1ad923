import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { flags, parseCommand, usage } from "./cli-flags.js";

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

test("help and version are printed", () => {
  expect(parseCommand(["-h"])).toEqual({ do: "help" });
  expect(parseCommand(["--version"])).toEqual({ do: "version" });
});

const documentation = readFileSync(new URL("../../docs/sandbox.md", import.meta.url), "utf8");
const table = documentation.split(/^## /m).find((section) => section.startsWith("Flags and options")) ?? "";

test.each(Object.keys(flags))("--%s is in the help and in docs/sandbox.md", (flag) => {
  expect(usage).toMatch(new RegExp(`--${flag}(?![\\w-])`));
  expect(table).toContain(`\`--${flag}\``);
});
