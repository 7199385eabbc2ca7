/** Measurement, with the same measurement of an alternative (peer), taken in the same run on the same machine. */
export interface Figure {
  name: string;
  value: number;
  /** `of 60` is a count out of 60. */
  unit: "" | "s" | "ms" | "us" | "kB" | "MB" | "/s" | "%" | `of ${number}`;
  /** Name of the alternative. */
  peer?: string;
  peerValue?: number;
}

/** Returns the smallest value that is not exceeded by the given share of the values. */
export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(share * values.length) - 1] ?? NaN;
}

/** Benchmark. Returns its measurements and cleans up after itself. */
export type Bench = () => Promise<Figure[]>;
