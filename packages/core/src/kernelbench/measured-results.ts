/**
 * Document with results that were measured outside of this platform, for scoring:
 *
 *     {
 *       "format": "kernelbench-results/1",
 *       "hardware": "NVIDIA H100 80GB HBM3",
 *       "evaluator": "my-harness 1.2",
 *       "baseline": "eager",
 *       "results": {
 *         "level_1_problem_19_sample_0": { "compiled": true, "correct": true, "timeMs": 0.041, "baselineMs": 0.05 }
 *       }
 *     }
 */
import { z } from "zod";
import { quote } from "../errors.ts";
import { findJsonFaults } from "./json-faults.ts";
import { kernelKeyText, parseKernelKey, suiteKeyText } from "./key.ts";
import type { BaselineChoice, KernelBenchScore } from "./score.ts";
import { scoreEntry, type ScoredKernel, type ScoredProblem } from "./scoring.ts";
import { BaselineKind, type BaselineTime } from "./stored-baseline.ts";

const Line = z.string().max(200);
const Milliseconds = z.number().positive();

export const MeasuredResult = z.strictObject({
  compiled: z.boolean().describe("Whether the kernel was built and imported."),
  correct: z.boolean().describe("Whether every output of every trial was within the tolerance."),
  timeMs: Milliseconds.nullable().default(null).describe("Time of one call of the kernel; null if it was not timed."),
  baselineMs: Milliseconds.nullable()
    .default(null)
    .describe("Time of one call of the model in the same session on the same device; null if it was not timed."),
  message: z.string().max(20_000).default("").describe("Why the kernel failed. Not used for the score."),
});
export type MeasuredResult = z.infer<typeof MeasuredResult>;

export const MeasuredResults = z.strictObject({
  format: z.literal("kernelbench-results/1"),
  hardware: Line.min(1).describe("Device on which all times were measured, as its driver names it."),
  evaluator: Line.min(1).describe("Name and version of the program that judged the kernels."),
  baseline: BaselineKind.default("eager").describe(
    "What baselineMs measures: the eager model, or the model compiled by torch.compile.",
  ),
  results: z
    .record(z.string().regex(/^level_[123]_problem_[1-9]\d{0,2}_sample_(0|[1-9]\d{0,2})$/), MeasuredResult)
    .describe("Results by kernel key. Sample 0 is scored; all samples count for pass@k. A missing kernel is unsolved."),
});
export type MeasuredResults = z.infer<typeof MeasuredResults>;

/** Parsed document, or all of its faults, each a sentence that starts with the location. */
export type MeasuredResultsParse = { document: MeasuredResults; faults: [] } | { document: null; faults: string[] };

/** Parses the text of a document. A duplicate name is a fault, because it is ambiguous. */
export function readMeasuredResults(text: string): MeasuredResultsParse {
  const { place, repeated } = findJsonFaults(text);
  if (place !== null) return refused([`line ${place.line}, column ${place.column}: ${place.what}`]);
  if (repeated.length > 0)
    return refused(repeated.map((path) => `${path.join(".")}: it occurs more than once: keep one`));
  const parsed = MeasuredResults.safeParse(JSON.parse(text));
  if (!parsed.success) {
    return refused(
      parsed.error.issues.map(({ path, message }) => `${path.map(String).join(".") || "document"}: ${message}`),
    );
  }
  const faults = Object.entries(parsed.data.results).flatMap(([key, result]) =>
    contradictions(result).map((what) => `results.${key}: ${what}`),
  );
  return faults.length > 0 ? refused(faults) : { document: parsed.data, faults: [] };
}

function refused(faults: string[]): MeasuredResultsParse {
  return { document: null, faults };
}

function contradictions({ compiled, correct }: MeasuredResult): string[] {
  return correct && !compiled ? ["a correct kernel must have compiled: fix compiled or correct"] : [];
}

export interface MeasuredScoreInput {
  document: MeasuredResults;
  suiteVersion: string;
  problems: readonly ScoredProblem[];
  /** Times of a stored baseline, which replace those of the document. */
  stored?: { id: string; times: readonly BaselineTime[] } | undefined;
}

/**
 * Computes the score of measured results by the rules of entries. The document has no float64 verdict and no
 * speed-of-light bound, so the robust figures use `correct` instead and exclude no kernel for its time.
 * @throws RangeError for the key of a problem that is not in the suite.
 */
export function scoreMeasured({ document, suiteVersion, problems, stored }: MeasuredScoreInput): KernelBenchScore {
  const baseline: BaselineChoice =
    stored === undefined ? { kind: document.baseline } : { kind: "stored", id: stored.id };
  return scoreEntry({
    ...{ suiteVersion, problems, baseline },
    kernels: measuredKernels(document, problems, stored?.times),
    evaluators: [document.evaluator],
    hardware: [document.hardware],
  });
}

/** Converts the kernels of a document, in its order, for scoring. */
export function measuredKernels(
  { results }: MeasuredResults,
  problems: readonly ScoredProblem[],
  stored?: readonly BaselineTime[],
): ScoredKernel[] {
  const known = new Set(problems.map(suiteKeyText));
  const storedNs = stored && new Map(stored.map((time) => [suiteKeyText(time), time.timeNs]));
  return Object.entries(results).map(([text, { compiled, correct, timeMs, baselineMs }]) => {
    const key = parseKernelKey(text);
    if (key === null || !known.has(suiteKeyText(key))) {
      throw new RangeError(`${quote(key === null ? text : kernelKeyText(key))} belongs to no problem of the suite`);
    }
    const own = baselineMs === null ? null : baselineMs * 1e6;
    return {
      ...key,
      ...{ compiled, correct, correctByOracle: correct },
      timeNs: timeMs === null ? null : timeMs * 1e6,
      baselineNs: storedNs === undefined ? own : (storedNs.get(suiteKeyText(key)) ?? null),
      belowSpeedOfLight: false,
    };
  });
}
