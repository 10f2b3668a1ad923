/** Returns the keys of an object, for an enumeration. */
export function keysOf<T extends object>(object: T): [keyof T & string, ...Array<keyof T & string>] {
  const [first, ...rest] = Object.keys(object).filter((key): key is keyof T & string => key in object);
  if (first === undefined) throw new Error("a catalogue cannot be empty");
  return [first, ...rest];
}

export function isKey<T extends object>(object: T, key: PropertyKey): key is keyof T {
  return Object.hasOwn(object, key);
}
