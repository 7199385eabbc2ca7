/**
 * Feedback on an evaluation for the model that wrote the code. It is put into prompts of untrusted code, so it holds no
 * seeds, no expected values, no paths of the server, and of the failed cases only their public parameters.
 */
import { formatMismatch } from "../run/case-failure.ts";
import type { CaseFinished } from "../run/tester-protocol.ts";
import { FAILURE_CLASS_LABELS } from "../vocabulary/states.ts";
import type { EvaluationLevel, EvaluationOutcome, SpeedupInterval } from "../reward/measured.ts";
import { oneLine, sanitize } from "../text/text.ts";

/** Maximum size in bytes of UTF-8. */
export const FEEDBACK_BYTES = 4096;
/** Part of a compile log or traceback that is kept, in characters: more of its tail, which names the error. */
const HEAD = 1000;
const TAIL = 1500;

export interface FeedbackFacts {
  level: EvaluationLevel;
  outcome: EvaluationOutcome;
  passed: number;
  total: number;
  speedup: SpeedupInterval | null;
  /** Message and detail of the run: a sentence of the judge, and a compile log or traceback. */
  message: string | null;
  detail: string | null;
  /** First failed case; null if none failed. */
  failed: Pick<CaseFinished, "stage" | "index" | "case" | "message" | "mismatch"> | null;
}

/** Returns the feedback: an outcome in one line, then what is known about the cause; at most 4096 bytes. */
export function evaluationFeedback(facts: FeedbackFacts): string {
  const lines = [headline(facts), ...explanation(facts)];
  return limitBytes(sanitize(lines.join("\n")), FEEDBACK_BYTES);
}

function headline({ level, outcome, passed, total, speedup }: FeedbackFacts): string {
  const cases = total === 0 ? "" : `, ${passed} of ${total} cases passed`;
  if (outcome === "infra_error") return "not judged: the platform failed, not the code";
  if (outcome === "noisy") return `correct${cases}; the machine was too busy to measure the speedup`;
  if (outcome === "quarantined") return "not judged: the measured time is not plausible";
  if (outcome !== "passed") return `failed: ${FAILURE_CLASS_LABELS[outcome]}${cases}`;
  if (level === "compile") return "passed: the code can be imported";
  if (speedup === null) return `passed${cases}`;
  const { low, mid, high } = speedup;
  const verdict = low > 1 ? "faster than" : high < 1 ? "slower than" : "not distinguishable from";
  const where = level === "application" ? " in the problem's application" : "";
  return `passed${cases}${where}; ${mid.toFixed(2)}x as fast as the reference (95 % CI ${low.toFixed(2)} to ${high.toFixed(2)}): ${verdict} the reference`;
}

function explanation({ outcome, message, detail, failed }: FeedbackFacts): string[] {
  if (outcome === "passed" || outcome === "noisy" || outcome === "infra_error" || outcome === "quarantined") return [];
  if (outcome === "wrong_result") return failed === null ? [] : [wrongCase(failed)];
  return [
    // The message names the case with its seed.
    ...(message === null ? [] : [oneLine(withoutPaths(withoutSeeds(message)))]),
    ...(detail === null ? [] : ["The code's own output:", excerpt(withoutPaths(withoutSeeds(detail)))]),
  ];
}

/** Describes an incorrect output by counts and errors. Values and texts of the problem's check may reveal what it expects. */
function wrongCase(failed: NonNullable<FeedbackFacts["failed"]>): string {
  const { mismatch } = failed;
  if (mismatch === null) return `${caseName(failed)}: the output is incorrect`;
  const first = mismatch.first[0];
  const place = first === undefined ? "" : `; the first at [${first.index.join(", ")}]`;
  return `${caseName(failed)}: ${formatMismatch(mismatch)}${place}`;
}

/** Names a case by its number and, for test cases, its public parameters except the seed. */
function caseName({ stage, index, case: parameters }: NonNullable<FeedbackFacts["failed"]>): string {
  const name = `${stage} case ${index + 1}`;
  const shown = Object.entries(parameters).filter(([key]) => !/seed/i.test(key));
  if (stage !== "test" || shown.length === 0) return name;
  return `${name} (${oneLine(shown.map(([key, value]) => `${key}: ${JSON.stringify(value)}`).join("; "))})`;
}

function withoutSeeds(text: string): string {
  return text.replace(/[;,]?\s*\bseed\s*[:=]\s*-?\w+/gi, "");
}

/** Reduces absolute paths to their last part. */
function withoutPaths(text: string): string {
  return text.replace(/(?<![\w.:/])(?:\/[\w.@+~-]+)+\/([\w.@+~-]*)/g, "$1");
}

function excerpt(text: string): string {
  const whole = text.trim();
  if (whole.length <= HEAD + TAIL) return whole;
  return `${whole.slice(0, HEAD)}\n[... ${whole.length - HEAD - TAIL} characters left out ...]\n${whole.slice(-TAIL)}`;
}

/** Cuts a text to a number of bytes of UTF-8, at a character. */
function limitBytes(text: string, most: number): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= most) return text;
  const end = "\n[cut]";
  // A character that is cut in its middle is decoded as U+FFFD.
  return `${new TextDecoder().decode(bytes.subarray(0, most - end.length - 3)).replace(/\uFFFD$/, "")}${end}`;
}
