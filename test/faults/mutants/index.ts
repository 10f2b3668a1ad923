import { absence } from "./absence.js";
import { creation } from "./creation.js";
import { manners } from "./manners.js";
import type { Mutant } from "./mutant.js";

export { type Hunt, type Mutant, patchOf } from "./mutant.js";

/** Every broken provider. The judge must catch each. */
export const mutants: readonly Mutant[] = [...creation, ...absence, ...manners];
