/** Data of a chart, drawn by the server and by the island `chart`. */

/** Unit of the y values: times in ns, ratios such as speedups, shares of 1, or plain numbers. */
export type ChartUnit = "ns" | "ratio" | "share" | "count";

/** Colour of a series by its meaning: the record, one of five distinct series, or background. */
export const TONES = ["record", "one", "two", "three", "four", "five", "quiet"] as const;
export type ChartTone = (typeof TONES)[number];

/** Point of a series; the note is shown with its value, such as an entrant's name or a submission. */
export type ChartPoint = readonly [x: number, y: number, note?: string];

export interface ChartSeries {
  /** Name of the series, unique within the chart. */
  label: string;
  /** Points in ascending order of x. Several points may share one x. */
  points: readonly ChartPoint[];
  /** A step keeps its value until the next point, and the last one until the end of the chart. */
  kind: "step" | "line" | "points";
  tone: ChartTone;
  /** Offered next to the other series, and drawn only once selected. */
  isHidden?: boolean;
}

export interface Chart {
  title: string;
  /** Description of the chart in words: shown under the title, and the only content for some readers. */
  summary: string;
  /** Meaning of the x values: times in milliseconds since the Unix epoch, or numbers. */
  xs: "time" | "number";
  /** Unit of numeric x values, such as `round`. */
  xLabel?: string;
  unit: ChartUnit;
  series: readonly ChartSeries[];
}
