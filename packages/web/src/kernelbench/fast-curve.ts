/** Fast@p curve: the share of problems solved more than p times as fast as the baseline. */
import {
  speedupsOf,
  suiteKeyText,
  type BaselineTime,
  type KernelBenchEntry,
  type KernelResult,
  type Suite,
} from "@kernelbot/core";
import { chart } from "../chart/chart.ts";
import type { ChartPoint, ChartSeries, ChartTone } from "../chart/data.ts";
import { uniqueLabels } from "../chart/labels.ts";
import type { Html } from "../html.ts";
import { figuresOf, type FigureKind } from "./figure-choice.ts";

/** Highest speedup on the curve; faster kernels count along its whole length. */
const MAX_SPEEDUP = 3;
const TONES: readonly ChartTone[] = ["one", "two", "three", "four", "five"];
/** Maximum number of curves in a chart. */
export const MAX_CURVES = TONES.length;

export interface Curve {
  /** Name of the model. */
  name: string;
  /** Speedups of the correct kernels that were timed. */
  speedups: readonly number[];
  /** Number of problems that the shares refer to. */
  problems: number;
}

/**
 * Returns the curve of an entry's correct kernels, by the rules of the official or the robust figures. Only sample 0
 * counts.
 */
export function curveOf(
  { results, score, metadata }: KernelBenchEntry,
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
      : result.correctByOracle === true && !result.belowSpeedOfLight && !degenerate.has(suiteKeyText(result));
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

/** Renders the curves; null if no curve has a kernel that was timed. */
export function fastCurve(curves: readonly Curve[], over: string): Html | null {
  const drawn = curves.filter(({ problems, speedups }) => problems > 0 && speedups.length > 0).slice(0, MAX_CURVES);
  if (drawn.length === 0) return null;
  const labels = uniqueLabels(drawn.map(({ name }) => name));
  return chart(
    {
      title: "Fast@p",
      summary: `Share of all problems solved more than p times as fast as ${over}. ${faster(drawn, labels, 0)} ${faster(drawn, labels, 1)}`,
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

/** Returns the share of problems with a speedup above p, at each p where the share falls. */
export function steps({ speedups, problems }: Curve): ChartPoint[] {
  const share = (p: number): number => speedups.filter((speedup) => speedup > p).length / problems;
  const positions = [0, ...new Set(speedups.filter((speedup) => speedup < MAX_SPEEDUP)), MAX_SPEEDUP].toSorted(
    (a, b) => a - b,
  );
  return positions.map((p): ChartPoint => [Number(p.toFixed(3)), share(p)]);
}

/** Formats the shares at one p: `At p = 1: Model A 87/250, Model B 50/250.` */
function faster(curves: readonly Curve[], labels: readonly string[], p: number): string {
  const shares = curves.map(
    ({ speedups, problems }, at) => `${labels[at]} ${speedups.filter((speedup) => speedup > p).length}/${problems}`,
  );
  return `At p = ${p}: ${shares.join(", ")}.`;
}
