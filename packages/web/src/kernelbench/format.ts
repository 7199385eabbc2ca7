/** Labels and number formats of the KernelBench pages. */
import {
  FAILURE_CLASSES,
  FAILURE_CLASS_LABELS,
  type KernelBenchEntrySummary,
  type FailureClass,
  type KernelBenchFigures,
  type KernelResult,
  type Fraction,
  type SuiteKey,
} from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { NONE } from "../results/timing.ts";
import type { RunStatus } from "../layout/format.ts";

/** Formats a problem's key as `L1-19`. */
export function formatKey({ level, problem }: SuiteKey): string {
  return `L${level}-${problem}`;
}

/** Returns the problem name in a file name: `ReLU` for `19_ReLU.py`. */
export function problemName(fileName: string): string {
  return fileName
    .replace(/^\d+_|\.py$/g, "")
    .replaceAll("_", " ")
    .trim();
}

/** Formats a share as `71.2 %`; a dash if the total is 0. */
export function percent({ count, of }: Fraction): string {
  return of === 0 ? "–" : `${((count / of) * 100).toFixed(1)} %`;
}

/** Renders a share as `178/250` with the percentage below. */
export function share({ count, of }: Fraction): Html {
  return html`<span class="number">${count}/${of}</span> <small class="block number">${percent({ count, of })}</small>`;
}

/** Renders a mean speedup with the number of kernels or problems it is computed from; a dash if it is null. */
export function meanOf(value: number | null, of: number): Html {
  return value === null
    ? NONE
    : html`<span class="number">${value.toFixed(3)}×</span> <small class="block number">of ${of}</small>`;
}

/** Outcomes of a kernel; `open` if it is not judged yet. */
export const KERNEL_OUTCOMES = ["correct", "oracle", ...FAILURE_CLASSES, "held", "lost", "open"] as const;
export type KernelOutcome = (typeof KERNEL_OUTCOMES)[number];

export function outcomeOf({ state, correct, correctByOracle, failureClass }: KernelResult): KernelOutcome {
  if (state === "lost") return "lost";
  if (state !== "done") return "open";
  if (correct === true) return "correct";
  if (correctByOracle === true) return "oracle";
  return failureClass ?? "held";
}

export const OUTCOME_LABELS: Readonly<Record<KernelOutcome, string>> = {
  correct: "correct",
  oracle: "correct only by the float64 oracle",
  ...FAILURE_CLASS_LABELS,
  held: "held for review",
  lost: "lost by the platform",
  open: "in progress",
};

/** One-letter outcomes, for narrow columns. */
export const OUTCOME_LETTERS: Readonly<Record<KernelOutcome, string>> = {
  correct: "✓",
  oracle: "O",
  compile_error: "C",
  crash: "X",
  wrong_result: "W",
  timeout: "T",
  out_of_memory: "M",
  rejected: "R",
  held: "H",
  lost: "L",
  open: "…",
};

const STATE_LABELS = { waiting: "waiting", queued: "queued", running: "running" } as const;

/** Returns the label and tone of a kernel's status. */
export function kernelStatus(result: KernelResult): RunStatus {
  const { state } = result;
  const outcome = outcomeOf(result);
  if (state === "waiting" || state === "queued" || state === "running") {
    return { tone: "waiting", label: STATE_LABELS[state] };
  }
  return { tone: outcomeTone(outcome), label: OUTCOME_LABELS[outcome] };
}

export function outcomeTone(outcome: KernelOutcome): RunStatus["tone"] {
  if (outcome === "correct") return "good";
  if (outcome === "open") return "waiting";
  return (FAILURE_CLASSES as readonly FailureClass[]).includes(outcome as FailureClass) ? "bad" : "care";
}

/** Returns whether no kernel of an entry is waiting, queued or running. */
export function isEvaluated({ progress }: Pick<KernelBenchEntrySummary, "progress">): boolean {
  return progress.waiting + progress.queued + progress.running === 0;
}

/**
 * Returns false if the entry has correct kernels but none was timed against the baseline: speedups are then
 * meaningless.
 */
export function isTimed({ correct, geoMeanOf }: KernelBenchFigures): boolean {
  return geoMeanOf > 0 || correct.count === 0;
}
