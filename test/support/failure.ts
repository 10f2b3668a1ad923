/** Returns the error of a promise, which must fail with an error of this class. */
export async function errorOf<E extends Error>(
  promise: Promise<unknown>,
  kind: abstract new (...parts: never[]) => E,
): Promise<E> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof kind) return error;
    throw error;
  }
  throw new Error(`expected a ${kind.name}, and it succeeded`);
}
