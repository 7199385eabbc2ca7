/**
 * Returns `; did you mean vectoradd or vectorsum?`; empty if no name is similar.
 * @param prefix Text before each name, such as `--`.
 */
export function didYouMean(input: string, names: readonly string[], prefix = ""): string {
  const similar = closestNames(input, names).map((name) => prefix + name);
  return similar.length > 0 ? `; did you mean ${similar.join(" or ")}?` : "";
}

/**
 * Returns at most three names within a small edit distance of `input`, the closest first. A name that starts with
 * `input` has distance 1.
 */
export function closestNames(input: string, names: readonly string[]): string[] {
  const limit = Math.max(2, Math.floor(input.length / 3));
  return names
    .map((name) => ({ name, distance: name.startsWith(input) ? 1 : editDistance(input, name) }))
    .filter(({ distance }) => distance <= limit)
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ name }) => name);
}

/** Returns the Levenshtein distance of two strings. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
