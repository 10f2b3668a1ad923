import { afterAll, afterEach, inject } from "vitest";
import { engineEnvironment } from "../../tools/engine/environment.mjs";
import { closeAll } from "./folder.js";
import { expectSpecificationKept } from "./modes.js";

// The engine, its plugins and inline programs inherit this environment.
const clean = engineEnvironment(inject("engineFolder"), process.env);
for (const name of Object.keys(process.env)) delete process.env[name];
Object.assign(process.env, clean);

afterEach(expectSpecificationKept);
afterAll(closeAll);
