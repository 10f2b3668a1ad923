/** What stopped a command, with what to type. The command line prints it without a stack. */
export class CommandError extends Error {
  override readonly name = "CommandError";

  constructor(
    message: string,
    readonly fixes: readonly string[] = [],
  ) {
    super(message);
  }
}
