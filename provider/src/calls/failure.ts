import * as pulumi from "@pulumi/pulumi";

/** Returns an error whose message the engine prints without the program's source or a stack trace. */
export function failure(message: string): pulumi.RunError {
  const error = new pulumi.RunError(message);
  error.stack = message;
  return error;
}
