#!/usr/bin/env node
import { existsSync } from "node:fs";

// npm links commands when it installs, and a checkout is installed before it is built.
if (existsSync(new URL("../dist/commands/main.js", import.meta.url))) {
  await import("../dist/commands/main.js");
} else {
  process.stderr.write("pulumi-cloudservices: not built yet; run `npm run build` in the checkout first\n");
  process.exitCode = 1;
}
