import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout. */
export const root = fileURLToPath(new URL("../../", import.meta.url));

/** Everything that runs leave behind; not part of the repository. */
export const local = join(root, ".local");
