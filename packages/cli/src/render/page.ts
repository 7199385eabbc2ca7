import type { Style } from "../output/style.ts";

/** Dimensions and style for rendering a text. */
export interface Page {
  /** Width in columns. */
  width: number;
  style: Style;
  /** Whether each timed case is followed by a summary of its samples and their histogram. */
  histograms: boolean;
}
