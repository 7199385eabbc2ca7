/**
 * Scales and their ticks, shared by the server's chart and the island's, so that both have the same axes. Ticks are
 * round numbers, and their labels include the unit.
 */
import { formatNs, formatRatio, formatShare } from "@kernelbot/core/units";
import type { Chart, ChartUnit } from "./data.ts";

export interface Scale {
  low: number;
  high: number;
  isLog: boolean;
}

/** Returns the position of a value on a scale: 0 at its low end, 1 at its high end. */
export function position({ low, high, isLog }: Scale, value: number): number {
  return isLog ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
}

/** Returns whether the y axis is logarithmic: for times and ratios, if all values are positive. */
export function isLog({ unit, series }: Pick<Chart, "unit" | "series">): boolean {
  return (unit === "ns" || unit === "ratio") && series.every(({ points }) => points.every(([, y]) => y > 0));
}

/**
 * Returns the scale of the y axis, with a margin of 5 % at each end, and not below zero if all values are at least
 * zero.
 */
export function yScale(values: readonly number[], isLog: boolean): Scale {
  const [low, high] = ends(values);
  if (isLog) {
    const room = Math.max(Math.log(high / low) * 0.05, 0.02);
    return { low: low / Math.exp(room), high: high * Math.exp(room), isLog };
  }
  const room = (high - low) * 0.05 || Math.abs(high) * 0.05 || 1;
  return { low: low >= 0 ? Math.max(0, low - room) : low - room, high: high + room, isLog };
}

/** Returns the scale of the x axis, which has no margin but a positive width even for a single value. */
export function xScale(positions: readonly number[], xs: Chart["xs"]): Scale {
  const [low, high] = ends(positions);
  const least = xs === "time" ? 60_000 : 1;
  return high > low ? { low, high, isLog: false } : { low: low - least, high: high + least, isLog: false };
}

function ends(values: readonly number[]): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : [1, 1];
}

/** Multiples within a decade, from dense to sparse. */
const DECADES = [[1, 1.5, 2, 3, 5, 7], [1, 2, 5], [1, 3], [1]];

/** Returns round numbers within a scale, about `most` of them. */
export function ticks({ low, high, isLog }: Scale, most: number): number[] {
  if (!isLog || high / low < 3) return linearTicks(low, high, most);
  const powers = range(Math.floor(Math.log10(low)), Math.ceil(Math.log10(high)));
  for (const multiples of DECADES) {
    const found = powers.flatMap((power) => multiples.map((multiple) => multiple * 10 ** power));
    const inside = found.filter((value) => value >= low && value <= high);
    if (inside.length <= most) return inside;
  }
  const each = Math.ceil(powers.length / most);
  return powers.filter((power) => power % each === 0 && 10 ** power >= low && 10 ** power <= high).map((p) => 10 ** p);
}

function linearTicks(low: number, high: number, most: number): number[] {
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((multiple) => multiple * power >= rough) ?? 10);
  return range(Math.ceil(low / step), Math.floor(high / step)).map((index) => round(index * step));
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Steps between times in milliseconds. Longer steps are counted in months, since months differ in length. */
const STEPS = [
  ...[1, 5, 15, 30].map((count) => count * MINUTE),
  ...[1, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 7, 14].map((count) => count * DAY),
];
const MONTHS = [1, 3, 6, 12, 24, 60, 120];

/** Returns round times within a scale, about `most` of them: full hours, midnights and firsts of months in UTC. */
export function timeTicks({ low, high }: Scale, most: number): number[] {
  const step = STEPS.find((step) => (high - low) / step <= most);
  if (step !== undefined) return range(Math.ceil(low / step), Math.floor(high / step)).map((index) => index * step);
  const months = MONTHS.find((months) => (high - low) / (months * 30 * DAY) <= most) ?? 1200;
  return range(Math.floor(monthOf(low) / months), Math.ceil(monthOf(high) / months))
    .map((index) => Date.UTC(Math.floor((index * months) / 12), (index * months) % 12))
    .filter((at) => at >= low && at <= high);
}

/** Returns the number of months since the year 0. */
function monthOf(at: number): number {
  const date = new Date(at);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
}

/** Removes binary rounding errors: 0.30000000000000004 becomes 0.3. */
function round(value: number): number {
  return Number(value.toPrecision(12));
}

const TIMES = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"],
] as const;

/** Formats a tick of the y axis: `2.5 µs`, `20 %`. */
export function formatTick(value: number, unit: ChartUnit): string {
  switch (unit) {
    case "ns": {
      if (value === 0) return "0";
      // Tolerance of a thousandth, since 999.9999 ns is 1 µs.
      const [size, name] = TIMES.find(([size]) => Math.abs(value) >= size * 0.999) ?? [1, "ns"];
      return `${Number((value / size).toPrecision(6))} ${name}`;
    }
    case "ratio":
      return `${round(value)}×`;
    case "share":
      return `${round(value * 100)} %`;
    case "count":
      return round(value).toLocaleString("en-US");
  }
}

/** Formats a value of the chart for a tooltip: `2.512 µs`. */
export function formatValue(value: number, unit: ChartUnit): string {
  switch (unit) {
    case "ns":
      return formatNs(value);
    case "ratio":
      return formatRatio(value);
    case "share":
      return formatShare(value);
    case "count":
      return value.toLocaleString("en-US");
  }
}

const MONTH_NAMES = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Formats the ticks of the x axis; the first number includes the unit. */
export function formatXTicks(positions: readonly number[], { xs, xLabel }: Pick<Chart, "xs" | "xLabel">): string[] {
  if (xs === "time") return formatTimeTicks(positions);
  return positions.map(
    (value, at) => `${at === 0 && xLabel !== undefined ? `${xLabel} ` : ""}${formatTick(value, "count")}`,
  );
}

/** Formats time ticks no finer than their step: `14:00`, `5 May`, `May 2026`, `2026`; midnight is shown as its date. */
export function formatTimeTicks(moments: readonly number[]): string[] {
  const dates = moments.map((at) => new Date(at));
  const whole = (unit: (date: Date) => boolean): boolean => dates.every(unit);
  const isYear = whole((date) => date.getUTCMonth() === 0 && date.getUTCDate() === 1 && !hasTime(date));
  const isMonth = whole((date) => date.getUTCDate() === 1 && !hasTime(date));
  return dates.map((date) => {
    const month = MONTH_NAMES[date.getUTCMonth()] ?? "";
    if (isYear && dates.length > 1) return String(date.getUTCFullYear());
    if (isMonth && dates.length > 1) return `${month} ${date.getUTCFullYear()}`;
    return hasTime(date) ? date.toISOString().slice(11, 16) : `${date.getUTCDate()} ${month}`;
  });
}

function hasTime(date: Date): boolean {
  return date.getTime() % DAY !== 0;
}
