/** One measured number, and the same of what a user would use instead, taken in the same run on the same machine. */
export interface Figure {
  name: string;
  value: number;
  /** `of 60` counts some of 60. */
  unit: "s" | "ms" | "us" | "kB" | "MB" | "/s" | "%" | `of ${number}`;
  /** What it is compared with. */
  peer?: string;
  peerValue?: number;
}

/** Measures and returns its figures; cleans up after itself. */
export type Bench = () => Promise<Figure[]>;
