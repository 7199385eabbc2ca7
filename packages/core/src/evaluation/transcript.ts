/** Transcripts: the steps of an evaluation session in their order. */
import { z } from "zod";
import { Language } from "../vocabulary/language.ts";
import { TargetName } from "../vocabulary/specification.ts";
import { FAILURE_CLASS_LABELS } from "../vocabulary/states.ts";
import { Evaluation } from "./evaluation.ts";
import { MAX_SESSION_EVALUATIONS } from "./session.ts";
import { ProblemReference } from "./uploaded-problem.ts";

/** Maximum number of evaluations in a transcript; the last ones are kept. */
export const MAX_TRANSCRIPT_EVALUATIONS = MAX_SESSION_EVALUATIONS;
/** Maximum size of the sources in a transcript together, in bytes of UTF-8; those of the last steps are kept. */
export const MAX_TRANSCRIPT_SOURCE_BYTES = 1_000_000;

const EvaluationStep = Evaluation.pick({
  ...{ id: true, level: true, state: true, outcome: true, passed: true, total: true, speedup: true, reward: true },
  ...{ rule: true, feedback: true, cached: true, unsandboxed: true, legacyHarness: true, endedAt: true },
}).extend({
  kind: z.literal("evaluation"),
  /** When it was requested. */
  at: z.iso.datetime(),
  language: Language,
  /** SHA-256 of the code in hexadecimal; the key of its text in `sources`. */
  codeHash: z.string(),
});
export type EvaluationStep = z.infer<typeof EvaluationStep>;

const NoteStep = z.object({
  kind: z.literal("note"),
  at: z.iso.datetime(),
  /** Text of the agent; untrusted. */
  text: z.string(),
});

export const TranscriptStep = z.discriminatedUnion("kind", [EvaluationStep, NoteStep]);
/** Step of a session: an evaluation, or a note of the agent. */
export type TranscriptStep = z.infer<typeof TranscriptStep>;

export const Transcript = z.object({
  /** Number of the session. */
  session: z.int(),
  problem: ProblemReference,
  target: TargetName,
  /** Budget of the session: number of evaluations, and when it ends or has ended. */
  maxEvaluations: z.int().positive(),
  createdAt: z.iso.datetime(),
  endsAt: z.iso.datetime(),
  /** Evaluations and notes in the order of their requests. */
  steps: z.array(TranscriptStep),
  /** Code by the hash that the steps name. */
  sources: z.record(z.string(), z.string()),
  /** Number of evaluations, and of different sources, that are left out because the transcript would be too large. */
  stepsLeftOut: z.int().nonnegative(),
  sourcesLeftOut: z.int().nonnegative(),
});
/** Transcript of a session, as far as it has got. */
export type Transcript = z.infer<typeof Transcript>;

/** Figures of a transcript for its headline. */
export interface TranscriptSummary {
  evaluations: number;
  /** Time from the opening of the session to the end of its last step, in seconds. */
  seconds: number;
  /** Largest speedup of a passed evaluation; null if none was timed. */
  bestSpeedup: number | null;
}

/** Returns the figures of a transcript, evaluations that were left out included. */
export function summarizeTranscript({ steps, createdAt, stepsLeftOut }: Transcript): TranscriptSummary {
  const evaluations = steps.filter((step) => step.kind === "evaluation");
  const speedups = evaluations.flatMap(({ speedup }) => (speedup === null ? [] : [speedup.mid]));
  const ends = steps.map((step) => Date.parse((step.kind === "evaluation" ? step.endedAt : null) ?? step.at));
  return {
    evaluations: evaluations.length + stepsLeftOut,
    seconds: Math.max(0, Math.round((Math.max(...ends, Date.parse(createdAt)) - Date.parse(createdAt)) / 1000)),
    bestSpeedup: speedups.length === 0 ? null : Math.max(...speedups),
  };
}

/** Formats the result of a step: `passed`, `wrong result`, `not judged`; its state while it has none. */
export function formatStepOutcome({ state, outcome }: EvaluationStep): string {
  if (outcome === null) return state;
  if (outcome === "passed" || outcome === "noisy" || outcome === "quarantined") return outcome;
  return outcome === "infra_error" ? "not judged" : FAILURE_CLASS_LABELS[outcome];
}

/** Request to attach the transcript of a session to a submission. */
export const TranscriptRequest = z.strictObject({ session: z.int().positive() });
export type TranscriptRequest = z.infer<typeof TranscriptRequest>;
