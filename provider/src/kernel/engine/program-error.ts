import * as pulumi from "@pulumi/pulumi";
import { type Diagnostic, render } from "../diagnostics/diagnostic.js";

/** Returns an error whose message the engine prints without the program's source or a stack trace. */
export function programError(problem: Diagnostic | string): pulumi.RunError {
  const error = new pulumi.RunError(typeof problem === "string" ? problem : render(problem));
  error.stack = error.message;
  return error;
}
