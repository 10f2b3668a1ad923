import { afterAll, afterEach, inject } from "vitest";
import { engineEnvironment } from "../../tools/engine/environment.mjs";
import { closeAll } from "./folder.js";
import { expectSpecificationKept } from "./modes.js";

// The engine, its plugins and inline programs inherit this environment.
const clean = engineEnvironment(inject("engineFolder"), process.env);
for (const name of Object.keys(process.env)) delete process.env[name];
// Go then collects garbage less often: a third of the time of a short command, for some megabytes.
Object.assign(process.env, clean, { GOGC: "400" });

afterEach(expectSpecificationKept);
afterAll(closeAll);
