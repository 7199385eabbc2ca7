/** The data of a chart, from which the server and the island `chart` draw it. */

/** Of what the values are, up the chart: times in ns, ratios such as speed-ups, shares of 1, plain numbers. */
export type ChartUnit = "ns" | "ratio" | "share" | "count";

/** A colour by what it means: the record, one of five that are told apart, or what stands behind. */
export const TONES = ["record", "one", "two", "three", "four", "five", "quiet"] as const;
export type ChartTone = (typeof TONES)[number];

/** Where along, how high, and what to say of it besides: who it is of, which submission. */
export type ChartPoint = readonly [x: number, y: number, note?: string];

export interface ChartSeries {
  /** Who or what it is of; no two of a chart have the same. */
  label: string;
  /** In order along the chart. Several may stand at one place. */
  points: readonly ChartPoint[];
  /** A step keeps its value until the next point, and the last one to the end of the chart. */
  kind: "step" | "line" | "points";
  tone: ChartTone;
  /** Offered beside the others, and drawn once it is chosen. */
  isHidden?: boolean;
}

export interface Chart {
  title: string;
  /** What the chart shows, in words: stands under the title, and is all that some readers have of it. */
  summary: string;
  /** What lies along: moments in milliseconds of UTC, or numbers. */
  xs: "time" | "number";
  /** What a number along counts, such as `round`. */
  xLabel?: string;
  unit: ChartUnit;
  series: readonly ChartSeries[];
}
