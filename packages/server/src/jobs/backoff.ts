/** Growing delays between tries. */
export interface Backoff {
  /** Delay after the first failed try. */
  firstMs: number;
  /** Maximum delay. */
  maxMs: number;
  /** Growth per failed try. */
  factor?: number;
}

/**
 * Returns the delay after the nth failed try: between half of `firstMs * factor ** (tries - 1)` and the whole of it, at
 * most `maxMs`. The jitter separates work that failed together.
 */
export function backoffMs({ firstMs, maxMs, factor = 2 }: Backoff, tries: number, random = Math.random): number {
  return Math.min(firstMs * factor ** (tries - 1), maxMs) * (0.5 + random() / 2);
}
