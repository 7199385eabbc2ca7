import type { Style } from "../style.ts";

/** The page of a terminal that a text is made for. */
export interface Page {
  /** Columns. */
  width: number;
  style: Style;
  /** Whether each timed case gets the summary of its samples and their histogram. */
  histograms: boolean;
}
