/** Evaluation sessions: the evaluations of an agent within a budget of number and time. */
import { z } from "zod";
import { TargetName } from "../vocabulary/specification.ts";
import { sanitize } from "../text/text.ts";
import { ProblemReference } from "./uploaded-problem.ts";

/** Maximum budget of a session. */
export const MAX_SESSION_EVALUATIONS = 500;
export const MAX_SESSION_SECONDS = 7 * 24 * 3600;
/** Maximum number of notes of a session, and of characters in one. */
export const MAX_NOTES = 100;
export const MAX_NOTE_CHARACTERS = 4000;

/** Request to open a session. */
export const EvaluationSessionRequest = z.strictObject({
  problem: ProblemReference,
  target: TargetName,
  maxEvaluations: z
    .int()
    .min(1)
    .max(MAX_SESSION_EVALUATIONS)
    .describe(
      "Number of evaluations, cached and cancelled ones included; expired ones do not count, nor the first within an hour that the platform failed to judge",
    ),
  maxSeconds: z.int().min(1).max(MAX_SESSION_SECONDS).describe("Seconds until the session ends by itself"),
});
export type EvaluationSessionRequest = z.infer<typeof EvaluationSessionRequest>;

/** Rest of a session's budget. */
export const SessionBudget = z.object({
  /** Number of the session. */
  id: z.int(),
  evaluationsLeft: z.int().nonnegative(),
  /** Seconds until the session ends, rounded up; 0 once it has ended. */
  secondsLeft: z.int().nonnegative(),
});
export type SessionBudget = z.infer<typeof SessionBudget>;

export const EvaluationSession = SessionBudget.extend({
  problem: ProblemReference,
  target: TargetName,
  maxEvaluations: z.int().positive(),
  createdAt: z.iso.datetime(),
  /** When the session ends or has ended, by its time or by its owner. */
  endsAt: z.iso.datetime(),
});
/** Session with the rest of its budget. */
export type EvaluationSession = z.infer<typeof EvaluationSession>;

/** Text that an agent adds to the transcript of its session: plain text or Markdown, which is shown as plain text. */
export const SessionNote = z.strictObject({
  text: z
    .string()
    .overwrite((text) => sanitize(text))
    .trim()
    .min(1, "write a text")
    .max(MAX_NOTE_CHARACTERS, `use at most ${MAX_NOTE_CHARACTERS} characters`),
});
export type SessionNote = z.infer<typeof SessionNote>;
