/** Grades of a course: pure functions of the grading rules and of the results of submissions. */
import { DAY_MS, type Assignment } from "./rules.ts";

/**
 * Version of the functions below, from 1. A change of the points that they compute of the same data increases it, so
 * that servers compute the grades of all courses again and send those that changed to learning platforms.
 */
export const GRADING_VERSION = 1;

/** Correct ranked submission of a student on the target of an assignment. */
export interface GradedSubmission {
  submissionId: number;
  /** ISO time at which the submission was accepted. */
  submittedAt: string;
  /** Runtime on the board, in nanoseconds. */
  timeNs: number;
  /** Speedup on the board; null for a problem without a timed reference. */
  speedup: number | null;
}

/** Points of a student in an assignment, with what they were computed from. */
export interface Grade {
  /** Points after the penalty for late days, rounded to 0.01. */
  points: number;
  /** Points before the penalty. */
  pointsBeforePenalty: number;
  /** Number of started days between the student's deadline and the submission; 0 if it was in time. */
  lateDays: number;
  /** The submission that counts. */
  submission: GradedSubmission;
}

type GradingRules = Pick<Assignment, "correctPoints" | "thresholds" | "lateDays" | "penaltyPerDay" | "counts">;

/**
 * Returns the grade of a student in an assignment; null if no submission counts.
 *
 * For a submission at time t and the deadline d, the late days are L = max(0, ceil((t - d) / 24 h)). A submission with
 * L > `lateDays` does not count. Its points are P = B * max(0, 1 - `penaltyPerDay` * L), where B is the maximum of
 * `correctPoints` and the points of all thresholds that it reaches. The grade is the maximum of P, of equal ones that of
 * the earliest submission; or P of the last submission if `counts` is "last".
 *
 * @param submissions Correct ranked submissions of the student, in any order.
 * @param dueAt Deadline of the student, extensions included, as an ISO time.
 * @example
 * ```ts
 * const rules = { correctPoints: 40, thresholds: [{ speedup: 2, points: 80 }], lateDays: 3, penaltyPerDay: 0.1, counts: "best" } as const;
 * const late = { submissionId: 7, submittedAt: "2026-03-09T10:00:00Z", timeNs: 2e6, speedup: 2.5 };
 * gradeAssignment(rules, [late], "2026-03-08T22:00:00Z")?.points; // 72 = 80 * (1 - 0.1 * 1)
 * ```
 */
export function gradeAssignment(
  rules: GradingRules,
  submissions: readonly GradedSubmission[],
  dueAt: string,
): Grade | null {
  const grades = submissions
    .map((submission) => gradeOf(rules, submission, dueAt))
    .filter(({ lateDays }) => lateDays <= rules.lateDays)
    .toSorted((a, b) => compareSubmissions(a.submission, b.submission));
  if (rules.counts === "last") return grades.at(-1) ?? null;
  return grades.reduce<Grade | null>(
    (best, grade) => (best !== null && best.points >= grade.points ? best : grade),
    null,
  );
}

function gradeOf(rules: GradingRules, submission: GradedSubmission, dueAt: string): Grade {
  const lateDays = Math.max(0, Math.ceil((Date.parse(submission.submittedAt) - Date.parse(dueAt)) / DAY_MS));
  const reached = rules.thresholds.filter((threshold) =>
    "speedup" in threshold
      ? submission.speedup !== null && submission.speedup >= threshold.speedup
      : submission.timeNs <= threshold.timeMs * 1e6,
  );
  const pointsBeforePenalty = Math.max(rules.correctPoints, ...reached.map(({ points }) => points));
  const points = roundPoints(pointsBeforePenalty * Math.max(0, 1 - rules.penaltyPerDay * lateDays));
  return { points, pointsBeforePenalty, lateDays, submission };
}

function compareSubmissions(a: GradedSubmission, b: GradedSubmission): number {
  return Date.parse(a.submittedAt) - Date.parse(b.submittedAt) || a.submissionId - b.submissionId;
}

/** Returns the sum of the points of all assignments; an assignment without a grade counts 0. */
export function totalPoints(grades: readonly (Pick<Grade, "points"> | null)[]): number {
  return roundPoints(grades.reduce((sum, grade) => sum + (grade?.points ?? 0), 0));
}

function roundPoints(points: number): number {
  return Math.round(points * 100) / 100;
}

/** Returns the most points that a submission in time can get. */
export function maximumPoints({ correctPoints, thresholds }: Pick<Assignment, "correctPoints" | "thresholds">): number {
  return Math.max(correctPoints, ...thresholds.map(({ points }) => points));
}
