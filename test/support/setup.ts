import { delimiter, dirname } from "node:path";
import { afterAll, inject } from "vitest";
import { closeAll } from "./folder.js";

// The engine, its plugins and inline programs inherit this environment: what whoever runs the tests has set for
// stacks of their own must not reach them.
for (const name of Object.keys(process.env)) {
  if (/^(PULUMI|CLOUDSERVICES)_/.test(name)) delete process.env[name];
}
const { PATH = "" } = process.env;
Object.assign(process.env, {
  PATH: [inject("engineFolder"), dirname(process.execPath), PATH].join(delimiter),
  PULUMI_SKIP_UPDATE_CHECK: "1",
});

afterAll(closeAll);
