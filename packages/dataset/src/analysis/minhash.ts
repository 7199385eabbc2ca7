/**
 * Finds similar sets among many without pairwise comparison: MinHash with banding. Source: A. Broder, On the
 * resemblance and containment of documents, SEQUENCES 1997; banding as in J. Leskovec, A. Rajaraman, J. Ullman, Mining
 * of Massive Datasets, section 3.4.
 */

/** Two sets with similarity 0.8 share a band with a probability of 0.998, two with similarity 0.5 with 0.4. */
const BANDS = 16;
const ROWS = 5;
/** Maximum number of sets of a band, the first in it, that a further set is compared with. */
const COMPARED = 8;

interface NearSets {
  /** Returns the representative of a set's group, the same for all sets connected by near pairs. */
  root: (at: number) => number;
  /** Returns the similarity to the nearest of the sets compared; 0 when none reached the minimum. */
  nearest: (at: number) => number;
}

/**
 * Groups sets so that each has a similarity (Jaccard) of at least `least` to another of its group. Each set must be in
 * ascending order.
 */
export function nearPairs(sets: readonly Int32Array[], least: number): NearSets {
  const parents = sets.map((_, at) => at);
  const nearest = sets.map(() => 0);
  const root = (at: number): number => {
    let top = at;
    while (parents[top] !== top) top = parents[top] ?? top;
    parents[at] = top;
    return top;
  };
  const meet = (one: number, other: number): void => {
    const alike = jaccard(sets[one] ?? EMPTY, sets[other] ?? EMPTY);
    if (alike < least) return;
    nearest[one] = Math.max(nearest[one] ?? 0, alike);
    nearest[other] = Math.max(nearest[other] ?? 0, alike);
    parents[root(one)] = root(other);
  };
  const buckets = new Map<string, number[]>();
  for (const [at, set] of sets.entries()) {
    if (set.length === 0) continue;
    const met = new Set<number>();
    for (const key of bandsOf(set)) {
      const bucket = buckets.get(key) ?? [];
      for (const other of bucket) if (!met.has(other)) meet(at, other);
      for (const other of bucket) met.add(other);
      if (bucket.length < COMPARED) bucket.push(at);
      buckets.set(key, bucket);
    }
  }
  return { root, nearest: (at) => nearest[at] ?? 0 };
}

const EMPTY = new Int32Array();

/** Returns the Jaccard similarity of two ascending sets: size of the intersection divided by size of the union. */
export function jaccard(one: Int32Array, other: Int32Array): number {
  let shared = 0;
  for (let a = 0, b = 0; a < one.length && b < other.length;) {
    const [left, right] = [one[a] as number, other[b] as number];
    if (left === right) shared += 1;
    if (left <= right) a += 1;
    if (right <= left) b += 1;
  }
  const all = one.length + other.length - shared;
  return all === 0 ? 0 : shared / all;
}

/** Returns the MinHash values of a set, joined by band. */
function bandsOf(set: Int32Array): string[] {
  return Array.from({ length: BANDS }, (_, band) => {
    const least = Array.from({ length: ROWS }, (_, row) => leastUnder(set, band * ROWS + row));
    return `${band}:${least.join()}`;
  });
}

/**
 * Returns the minimum of a set's values under a hash function; each function has its own odd multiplier and offset.
 */
function leastUnder(set: Int32Array, order: number): number {
  const factor = Math.imul(2 * order + 1, 0x9e3779b1) | 1;
  const offset = Math.imul(order + 1, 0x85ebca6b);
  let least = Infinity;
  for (const value of set) {
    let hash = Math.imul(value ^ offset, factor);
    hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35);
    least = Math.min(least, (hash ^ (hash >>> 13)) >>> 0);
  }
  return least;
}
