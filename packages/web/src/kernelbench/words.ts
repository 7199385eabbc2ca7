/** The words of KernelBench as a page says them. */
import {
  FAILURE_CLASSES,
  FAILURE_WORDS,
  type EntrySummary,
  type FailureClass,
  type Figures,
  type KernelResult,
  type Share,
  type SuiteKey,
} from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { NONE } from "../timing.ts";
import type { Standing } from "../words.ts";

/** `L1-19` */
export function keyWords({ level, problem }: SuiteKey): string {
  return `L${level}-${problem}`;
}

/** What the problem of a file is called: `ReLU` of `19_ReLU.py`. */
export function problemName(fileName: string): string {
  return fileName
    .replace(/^\d+_|\.py$/g, "")
    .replaceAll("_", " ")
    .trim();
}

/** `71.2 %`; a dash where there is nothing that it could be of. */
export function percent({ count, of }: Share): string {
  return of === 0 ? "–" : `${((count / of) * 100).toFixed(1)} %`;
}

/** A share with what it is of: `178/250`, and the percentage under it. */
export function share({ count, of }: Share): Html {
  return html`<span class="number">${count}/${of}</span> <small class="block number">${percent({ count, of })}</small>`;
}

/** A mean of speed-ups with how many it is of; a dash where there are none. */
export function meanOf(value: number | null, of: number): Html {
  return value === null
    ? NONE
    : html`<span class="number">${value.toFixed(3)}×</span> <small class="block number">of ${of}</small>`;
}

/** How a kernel came out, or that it has not yet. */
export const KERNEL_OUTCOMES = ["correct", "oracle", ...FAILURE_CLASSES, "held", "lost", "open"] as const;
export type KernelOutcome = (typeof KERNEL_OUTCOMES)[number];

export function outcomeOf({ state, correct, correctByOracle, failureClass }: KernelResult): KernelOutcome {
  if (state === "lost") return "lost";
  if (state !== "done") return "open";
  if (correct === true) return "correct";
  if (correctByOracle === true) return "oracle";
  return failureClass ?? "held";
}

export const OUTCOME_WORDS: Readonly<Record<KernelOutcome, string>> = {
  correct: "correct",
  oracle: "correct by the oracle alone",
  ...FAILURE_WORDS,
  held: "held back",
  lost: "lost by the platform",
  open: "on its way",
};

/** In place of the words where there is room for a letter. */
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

const STATE_WORDS = { waiting: "waiting", queued: "queued", running: "running" } as const;

/** How a kernel stands, and in which tone. */
export function kernelStanding(result: KernelResult): Pick<Standing, "tone" | "words"> {
  const { state } = result;
  const outcome = outcomeOf(result);
  if (state === "waiting" || state === "queued" || state === "running") {
    return { tone: "waiting", words: STATE_WORDS[state] };
  }
  return { tone: outcomeTone(outcome), words: OUTCOME_WORDS[outcome] };
}

export function outcomeTone(outcome: KernelOutcome): Standing["tone"] {
  if (outcome === "correct") return "good";
  if (outcome === "open") return "waiting";
  return (FAILURE_CLASSES as readonly FailureClass[]).includes(outcome as FailureClass) ? "bad" : "care";
}

/** Whether nothing of an entry is on its way or waits for it. */
export function isEvaluated({ progress }: Pick<EntrySummary, "progress">): boolean {
  return progress.waiting + progress.queued + progress.running === 0;
}

/** Whether some correct kernel was timed against the baseline; where none was, speed-ups say nothing. */
export function isTimed({ correct, geoMeanOf }: Figures): boolean {
  return geoMeanOf > 0 || correct.count === 0;
}
