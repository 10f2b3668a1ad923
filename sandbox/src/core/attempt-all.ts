/** Runs all steps one after the other, even if some fail. Returns their errors. */
export async function attemptAll(steps: Iterable<() => unknown>): Promise<unknown[]> {
  const errors: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      errors.push(error);
    }
  }
  return errors;
}
