// The sdk is built twice from one source; the folder of the ES modules has to say so.
import { writeFileSync } from "node:fs";

writeFileSync(new URL("../sdk/dist/esm/package.json", import.meta.url), '{ "type": "module" }\n');
