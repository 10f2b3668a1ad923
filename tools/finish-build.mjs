// The sdk is built twice from one source. Its second folder must declare ES modules.
import { writeFileSync } from "node:fs";

writeFileSync(new URL("../sdk/dist/esm/package.json", import.meta.url), '{ "type": "module" }\n');
