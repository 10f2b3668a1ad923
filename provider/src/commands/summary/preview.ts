import { z } from "zod";
import { CommandError } from "../command-error.js";

/*
 * The part of `pulumi preview --json` that a summary reads. The engine documents the format in its source only, so
 * everything that an older or newer engine may leave out is optional.
 */

const inputs = z.record(z.string(), z.unknown());

const resource = z.looseObject({
  id: z.string().nullish(),
  // A replacement has begun, and this is the old one.
  delete: z.boolean().nullish(),
  inputs: inputs.nullish(),
  retainOnDelete: z.boolean().nullish(),
});

const step = z.looseObject({
  op: z.string(),
  urn: z.string(),
  oldState: resource.nullish(),
  newState: resource.nullish(),
  diffReasons: z.array(z.string()).nullish(),
  replaceReasons: z.array(z.string()).nullish(),
  detailedDiff: z.record(z.string(), z.unknown()).nullish(),
});

const diagnostic = z.looseObject({ urn: z.string().nullish(), message: z.string(), severity: z.string() });

const preview = z.looseObject({
  steps: z.array(step).nullish(),
  diagnostics: z.array(diagnostic).nullish(),
  changeSummary: z.record(z.string(), z.unknown()).nullish(),
});

/** One operation of a preview. */
export type Step = z.infer<typeof step>;

/** One message of a preview. */
export type PreviewMessage = z.infer<typeof diagnostic>;

/** A preview as the engine prints it. */
export interface Preview {
  readonly steps: readonly Step[];
  readonly messages: readonly PreviewMessage[];
}

const fixes = [
  "pulumi preview --json --refresh --run-program --show-replacement-steps | npx --no -- pulumi-cloudservices summary",
];

/** Parses the output of `pulumi preview --json`. */
export function previewOf(text: string): Preview {
  if (text.trim() === "") throw new CommandError("standard input is empty; it must be a preview", fixes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new CommandError("standard input is not the JSON of a preview", fixes);
  }
  const { data } = preview.safeParse(value);
  // Any other object, such as the error response of a service, would look like a preview without changes.
  const isPreview = data && [data.steps, data.diagnostics, data.changeSummary].some((part) => part != null);
  if (!isPreview) throw new CommandError("standard input is JSON of another form than a preview's", fixes);
  return { steps: data.steps ?? [], messages: data.diagnostics ?? [] };
}
