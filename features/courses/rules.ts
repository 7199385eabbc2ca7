/** Grading rules of a course: a competition whose problems are assignments. */
import {
  CompetitionName,
  formatSettingsFile,
  parseSettingsFile,
  ProblemName,
  TargetName,
  UtcDateTime,
} from "@kernelbot/core";
import { z } from "zod";

export const DAY_MS = 86_400_000;

const MAX_POINTS = 10_000;

const Points = z.number("use a number of points").min(0, "use 0 points or more").max(MAX_POINTS, "use at most 10,000");

/** Points of a submission whose speedup is at least, or whose time is at most, the given one. */
export const GradeThreshold = z.union(
  [
    z.strictObject({ speedup: z.number().positive(), points: Points }),
    z.strictObject({ timeMs: z.number().positive(), points: Points }),
  ],
  "use { speedup: 2, points: 80 } or { time_ms: 1.5, points: 80 }, with a positive number and at most 10,000 points",
);
export type GradeThreshold = z.infer<typeof GradeThreshold>;

/** Assignment: a problem of the competition, graded on one target. */
export const Assignment = z.strictObject({
  problem: ProblemName,
  /** Target whose results are graded. */
  target: TargetName,
  /** Deadline of students without an extension. */
  dueAt: UtcDateTime,
  /** Points of a correct submission that reaches no threshold. */
  correctPoints: Points.default(0),
  /** A submission gets the points of the reached threshold with the most points. */
  thresholds: z.array(GradeThreshold).max(50, "use at most 50").default([]),
  /** Days after the deadline in which submissions are still accepted. */
  lateDays: z.int("use a whole number of days").min(0, "use 0 or more").max(365, "use at most 365").default(0),
  /** Share of the points that each started late day costs, from 0 to 1. */
  penaltyPerDay: z.number().min(0, "use a share from 0 to 1").max(1, "use a share from 0 to 1").default(0),
  /** The submission that counts: the one with the most points, or the last correct one. */
  counts: z.enum(["best", "last"]).default("best"),
});
export type Assignment = z.infer<typeof Assignment>;

/** Settings of a course. */
export const CourseSpec = z.strictObject({
  competition: CompetitionName,
  /**
   * How an account is matched with a student: `verified_email` requires that the account signs in with the student's
   * address; `entered_email` also accepts an address that a member of the competition enters.
   */
  enrolment: z.enum(["verified_email", "entered_email"]).default("verified_email"),
  /** One assignment for each graded problem. */
  assignments: z
    .array(Assignment)
    .max(100, "name at most 100")
    .refine((all) => new Set(all.map(({ problem }) => problem)).size === all.length, "name each problem once"),
});
export type CourseSpec = z.infer<typeof CourseSpec>;

/**
 * Parses the file of a course:
 *
 *     competition: gpu-course
 *     assignments:
 *       - problem: vectoradd
 *         target: H100
 *         due_at: 2026-03-08T22:00:00Z
 *         correct_points: 40
 *         thresholds: [{ speedup: 1.5, points: 70 }, { speedup: 3, points: 100 }]
 *         late_days: 3
 *         penalty_per_day: 0.1
 *
 * @throws KernelBotError `unprocessable`, with the key and the reason.
 */
export function parseCourse(text: string): CourseSpec {
  return parseSettingsFile(CourseSpec, { what: "course", example: "competition: gpu-course" }, text);
}

/** Returns settings as a file that `parseCourse` reads. */
export function formatCourse(course: CourseSpec): string {
  return formatSettingsFile(course);
}

/** Returns when an assignment stops accepting submissions of a student whose deadline is `dueAt`, as an ISO time. */
export function assignmentClosesAt({ lateDays }: Pick<Assignment, "lateDays">, dueAt: string): string {
  return new Date(Date.parse(dueAt) + lateDays * DAY_MS).toISOString();
}
