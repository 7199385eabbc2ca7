/** How the share of solved problems falls as more speed is asked for. */
import {
  speedupsOf,
  suiteKeyText,
  type BaselineTime,
  type Entry,
  type KernelResult,
  type Suite,
} from "@kernelbot/core";
import { chart } from "../chart.ts";
import type { ChartPoint, ChartSeries, ChartTone } from "../chart/data.ts";
import type { Html } from "../html.ts";
import { figuresOf, type FigureKind } from "./choice.ts";

/** The curve goes up to this speed-up; what is faster counts all along. */
const MOST = 3;
const TONES: readonly ChartTone[] = ["one", "two", "three", "four", "five"];
/** So many curves are drawn. */
export const CURVES = TONES.length;

export interface Curve {
  /** Whose it is. */
  name: string;
  /** The speed-ups of its correct kernels that were timed. */
  speedups: readonly number[];
  /** Of how many problems the shares are. */
  problems: number;
}

/** That of an entry's kernels that are correct, as the official or the robust figures have it. */
export function curveOf(
  { results, score, metadata }: Entry,
  suite: Pick<Suite, "problems">,
  kind: FigureKind,
  stored: readonly BaselineTime[] = [],
): Curve {
  const degenerate = new Set(
    suite.problems.filter(({ inspection }) => inspection.degenerate !== null).map((problem) => suiteKeyText(problem)),
  );
  const counts = (result: KernelResult): boolean =>
    kind === "official"
      ? result.correct === true
      : result.correctByOracle === true && !result.belowFloor && !degenerate.has(suiteKeyText(result));
  const speedups = speedupsOf(
    results.filter((result) => result.sample === 0 && counts(result)),
    score.baseline,
    stored,
  );
  return {
    name: metadata.display_name,
    speedups: Array.from(speedups.values(), ({ value }) => value),
    problems: figuresOf(score, kind).problems,
  };
}

/** Null where no curve has a kernel that was timed. */
export function fastCurve(curves: readonly Curve[], over: string): Html | null {
  const drawn = curves.filter(({ problems, speedups }) => problems > 0 && speedups.length > 0).slice(0, CURVES);
  if (drawn.length === 0) return null;
  const labels = distinct(drawn.map(({ name }) => name));
  return chart(
    {
      title: "Fast@p",
      summary: `Which share of all problems is solved more than p times as fast as ${over}. ${faster(drawn, labels, 0)} ${faster(drawn, labels, 1)}`,
      xs: "number",
      xLabel: "p =",
      unit: "share",
      series: drawn.map((curve, at): ChartSeries => ({
        label: labels[at] ?? "",
        kind: "step",
        tone: TONES[at] ?? "quiet",
        points: steps(curve),
      })),
    },
    "fast-curve",
  );
}

/** The share that is faster than each place along: it falls where a kernel is just so fast. */
export function steps({ speedups, problems }: Curve): ChartPoint[] {
  const share = (p: number): number => speedups.filter((speedup) => speedup > p).length / problems;
  const places = [0, ...new Set(speedups.filter((speedup) => speedup < MOST)), MOST].toSorted((a, b) => a - b);
  return places.map((p): ChartPoint => [Number(p.toFixed(3)), share(p)]);
}

/** `At p = 1: Model A 87/250, Model B 50/250.` */
function faster(curves: readonly Curve[], labels: readonly string[], p: number): string {
  const shares = curves.map(
    ({ speedups, problems }, at) => `${labels[at]} ${speedups.filter((speedup) => speedup > p).length}/${problems}`,
  );
  return `At p = ${p}: ${shares.join(", ")}.`;
}

/** Two models may have one name, but not one label. */
function distinct(names: readonly string[]): string[] {
  const taken = new Map<string, number>();
  return names.map((name) => {
    const times = (taken.get(name) ?? 0) + 1;
    taken.set(name, times);
    return times === 1 ? name : `${name} (${times})`;
  });
}
