/** Simulated measurements for tests, the same ones each time. */

/** Uniform numbers from 0 to 1, the same ones for the same seed (mulberry32). */
export function randomness(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Around 0, with the scatter of a normal distribution of deviation 1 (Irwin-Hall: twelve uniform numbers). */
export const normal = (random: () => number): number =>
  Array.from({ length: 12 }, random).reduce((sum, one) => sum + one, -6);

/** How each of so many simulated measurements came out. */
export function outcomes(pairs: number, compare: (random: () => number) => "a" | "b" | null): ("a" | "b" | null)[] {
  return Array.from({ length: pairs }, (_, seed) => compare(randomness(seed)));
}
