/** Measurement, with the same measurement of an alternative (peer), taken in the same run on the same machine. */
export interface Figure {
  name: string;
  value: number;
  /** `of 60` is a count out of 60. */
  unit: "s" | "ms" | "us" | "kB" | "MB" | "/s" | "%" | `of ${number}`;
  /** Name of the alternative. */
  peer?: string;
  peerValue?: number;
}

/** Benchmark. Returns its measurements and cleans up after itself. */
export type Bench = () => Promise<Figure[]>;
