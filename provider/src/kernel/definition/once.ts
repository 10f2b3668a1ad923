/**
 * Returns a function that does its work once for each object, and keeps the result as long as the object lives. Neither
 * the object nor the result may be changed.
 */
export function once<K extends object, V>(work: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    let result = known.get(key);
    if (result === undefined) {
      result = { value: work(key) };
      known.set(key, result);
    }
    return result.value;
  };
}
