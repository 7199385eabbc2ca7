/** Evaluation sessions and their transcripts. */
import {
  formatElapsed,
  formatRatio,
  formatStepOutcome,
  summarizeTranscript,
  type SessionBudget,
  type Transcript,
  type TranscriptStep,
} from "@kernelbot/core";
import type { Style } from "../output/style.ts";
import { formatCount } from "../output/text.ts";
import { table } from "./table.ts";

/** Formats what is left of a session's budget: `3 evaluations and 12 min 05 s left`. */
export function formatBudget({ evaluationsLeft, secondsLeft }: SessionBudget): string {
  return secondsLeft === 0
    ? "ended"
    : `${formatCount(evaluationsLeft, "evaluation")} and ${formatElapsed(secondsLeft * 1000)} left`;
}

/** Formats the figures of a transcript: `3 evaluations in 2 min 05 s, best speedup 1.25×`. */
export function transcriptHeadline(transcript: Transcript): string {
  const { evaluations, seconds, bestSpeedup } = summarizeTranscript(transcript);
  const best = bestSpeedup === null ? "" : `, best speedup ${formatRatio(bestSpeedup)}`;
  return `${formatCount(evaluations, "evaluation")} in ${formatElapsed(seconds * 1000)}${best}`;
}

/** Formats the steps of a transcript, each with its time since the start of the session. */
export function transcriptLines(transcript: Transcript, width: number, style: Style): string[] {
  const { session, problem, target, createdAt, steps, stepsLeftOut } = transcript;
  return [
    `Session ${session} for ${problem} on ${target}: ${transcriptHeadline(transcript)}`,
    ...(stepsLeftOut === 0 ? [] : [style.yellow(`The first ${formatCount(stepsLeftOut, "evaluation")} are left out.`)]),
    ...(steps.length === 0
      ? []
      : table(
          COLUMNS,
          steps.map((step) => row(step, createdAt)),
          width,
          style,
        )),
  ];
}

const COLUMNS = [
  { title: "after", side: "right" },
  { title: "step" },
  { title: "result", shrinks: true },
  { title: "cases", side: "right" },
  { title: "speedup", side: "right" },
] as const;

function row(step: TranscriptStep, start: string): string[] {
  const after = formatElapsed(Date.parse(step.at) - Date.parse(start));
  if (step.kind === "note") return [after, "note", step.text, "", ""];
  const { level, passed, total, speedup, cached } = step;
  return [
    after,
    level,
    `${formatStepOutcome(step)}${cached ? " (cached)" : ""}`,
    total === 0 ? "" : `${passed}/${total}`,
    speedup === null ? "" : formatRatio(speedup.mid),
  ];
}
