/** The number of letters to insert, remove, replace or swap to make one word of the other. */
function distance(a: string, b: string): number {
  let previous: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (previous[j - 2] ?? 0) + 1);
      }
      next.push(cost);
    }
    previous = row;
    row = next;
  }
  return row[b.length] ?? 0;
}

/** The candidate that a typing mistake was most likely meant to be, or nothing when none is near. */
export function didYouMean(word: string, candidates: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(word.length / 3));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of candidates) {
    const found = distance(word.toLowerCase(), candidate.toLowerCase());
    if (found < bestDistance) {
      best = candidate;
      bestDistance = found;
    }
  }
  return best;
}

/**
 * The listed value that a word was most likely meant to be. Other digits are no typing mistake but another size or
 * version, which a service may have added: `debian-13` is not a misspelt `debian-12`.
 */
export const nearMiss = (word: string, listed: readonly string[]): string | undefined =>
  didYouMean(
    word,
    listed.filter((candidate) => digits(candidate) === digits(word)),
  );

const digits = (word: string): string => word.replace(/\D/g, "");
