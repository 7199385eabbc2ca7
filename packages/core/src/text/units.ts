/** Formats numbers for display: three to four significant digits, always with a unit. */

const TIME_UNITS = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"],
] as const;

/** Formats a duration: `12.34 µs`. */
export function formatNs(ns: number): string {
  if (!Number.isFinite(ns)) return "–";
  const [size, unit] = TIME_UNITS.find(([size]) => Math.abs(ns) >= size) ?? [1, "ns"];
  return `${significant(ns / size)} ${unit}`;
}

/** Formats a speedup: `1.25×`. */
export function formatRatio(ratio: number): string {
  return `${significant(ratio)}×`;
}

/** Formats the confidence interval of a speedup: `1.223–1.278×`. */
export function formatRatioRange({ low, high }: { low: number; high: number }): string {
  return `${significant(low)}–${significant(high)}×`;
}

/**
 * Formats a confidence interval as a plus-or-minus percentage of its value where that is less than 10 %, `± 0.4 %`, else
 * by its ends, `(12.34 µs to 23.45 µs)`; empty if `low` equals `high`, which means unknown.
 * @param format of the ends
 */
export function formatSpread(
  { value, low, high }: { value: number; low: number; high: number },
  format: (value: number) => string = formatNs,
): string {
  if (low === high) return "";
  const half = (high - low) / 2 / value;
  return half < 0.1 ? `± ${(half * 100).toFixed(1)} %` : `(${format(low)} to ${format(high)})`;
}

/**
 * Formats a time with its spread, as `formatSpread`: `12.34 µs ± 0.4 %`.
 */
export function formatTiming(interval: { value: number; low: number; high: number }): string {
  return `${formatNs(interval.value)} ${formatSpread(interval)}`.trimEnd();
}

/** Formats a size: `1.5 MiB`. */
export function formatBytes(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${power === 0 ? bytes : significant(bytes / 1024 ** power)} ${units[power]}`;
}

/** Formats a rate: `3.350 TB/s` of bytes, `1.979 POPS` of operations. */
export function formatRate(perS: number, unit: "B/s" | "OPS"): string {
  const prefixes = ["", "k", "M", "G", "T", "P"];
  const power = perS < 1 ? 0 : Math.min(prefixes.length - 1, Math.floor(Math.log10(perS) / 3));
  return `${significant(perS / 1000 ** power)} ${prefixes[power]}${unit}`;
}

/** Formats a fraction as a percentage: `12 %`, `0.42 %`. */
export function formatShare(share: number): string {
  const percent = share * 100;
  return `${percent >= 10 ? percent.toFixed(0) : percent.toPrecision(2)} %`;
}

/** Formats a time that has passed, in whole seconds: `0 s`, `59 s`, `2 min 05 s`. */
export function formatElapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`;
}

function significant(value: number): string {
  const digits = Math.abs(value) >= 100 ? 1 : Math.abs(value) >= 10 ? 2 : 3;
  return value.toFixed(digits);
}
