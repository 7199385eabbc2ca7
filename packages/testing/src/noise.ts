/** Simulated measurements for tests, deterministic. */

/** Returns a generator of uniform numbers from 0 to 1, determined by the seed (mulberry32). */
export function randomness(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Returns a random number with mean 0 and standard deviation 1, approximately normal (Irwin-Hall: sum of twelve uniform
 * numbers).
 */
export const normal = (random: () => number): number =>
  Array.from({ length: 12 }, random).reduce((sum, one) => sum + one, -6);

/** Returns the result of each of a number of simulated comparisons, with seeds from 0. */
export function outcomes(pairs: number, compare: (random: () => number) => "a" | "b" | null): ("a" | "b" | null)[] {
  return Array.from({ length: pairs }, (_, seed) => compare(randomness(seed)));
}
