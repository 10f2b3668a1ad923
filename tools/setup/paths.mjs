import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The root of the checkout. */
export const root = fileURLToPath(new URL("../../", import.meta.url));

/** The folder for everything that runs write; not part of the repository. */
export const local = join(root, ".local");
