import { z } from "zod";
import { CODES } from "./diagnostic.js";

const line = z.union([
  z.string(),
  z.array(z.union([z.string(), z.object({ command: z.string(), argument: z.string() })])),
]);

/** The diagnostics that a class passes to the provider as an input. */
export const diagnosticsSchema = z.array(
  z.object({
    code: z.enum(CODES),
    summary: z.string(),
    cause: z.string().optional(),
    fixes: z
      .array(z.object({ when: z.string().optional(), line, isNative: z.literal(true).optional() }))
      .optional(),
  }),
);
