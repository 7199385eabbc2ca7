import { formatNs } from "@kernelbot/core";

const BLOCKS = ["", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
/** Share of the samples that the axis covers; a few far outliers would compress all others into one bin. */
const AXIS_SHARE = 0.95;

/**
 * Draws the distribution of samples as a histogram of block characters over an axis with units.
 * @param samplesNs times in nanoseconds, at least one
 * @param width columns of the drawing
 * @param height rows of the drawing
 */
export function histogram(samplesNs: readonly number[], width: number, height: number): string[] {
  const sorted = samplesNs.toSorted((a, b) => a - b);
  const low = sorted[0] ?? 0;
  const high = sorted[Math.ceil(sorted.length * AXIS_SHARE) - 1] ?? low;
  const visible = sorted.filter((sample) => sample <= high);
  const bins = binCounts(visible, low, high, width);
  const highest = Math.max(...bins);
  const rows = Array.from({ length: height }, (_, row) => {
    const below = (height - 1 - row) * 8;
    return bins.map((bin) => block(bin, highest, height, below)).join("");
  });
  const axis = `└${"─".repeat(width - 2)}┘`;
  return [...rows.map((row) => row.trimEnd()), axis, axisLabels(low, high, width), ...outliers(sorted, high)];
}

/** Counts the samples in each of `width` equal bins; all in the middle bin if they are equal. */
function binCounts(samples: readonly number[], low: number, high: number, width: number): number[] {
  const bins = Array.from({ length: width }, () => 0);
  for (const sample of samples) {
    const bin = high > low ? Math.min(width - 1, Math.floor(((sample - low) / (high - low)) * width)) : width >> 1;
    bins[bin] = (bins[bin] ?? 0) + 1;
  }
  return bins;
}

/** Returns the block character of a bar in one row; a non-empty bin shows at least the thinnest block. */
function block(bin: number, highest: number, height: number, below: number): string {
  const eighths = bin === 0 ? 0 : Math.max(1, Math.round((bin / highest) * height * 8));
  return BLOCKS[Math.max(0, Math.min(8, eighths - below))] || " ";
}

function axisLabels(low: number, high: number, width: number): string {
  const [left, middle, right] = [formatNs(low), formatNs((low + high) / 2), formatNs(high)];
  if (high === low) return middle.padStart((width + middle.length) >> 1);
  const before = Math.max(1, ((width - middle.length) >> 1) - left.length);
  const after = Math.max(1, width - left.length - before - middle.length - right.length);
  return left + " ".repeat(before) + middle + " ".repeat(after) + right;
}

function outliers(sorted: readonly number[], high: number): string[] {
  const beyond = sorted.filter((sample) => sample > high);
  const slowest = beyond.at(-1);
  if (slowest === undefined) return [];
  return [`${beyond.length} of ${sorted.length} samples are beyond the axis, up to ${formatNs(slowest)}`];
}
