/**
 * Rows of an existing KernelBot database, whose tables are in the schema `leaderboard`. Older versions lack some columns
 * and tables, whose defaults are given here. Every text comes from users and is checked where it is used.
 */
import { z } from "zod";

const Id = z.int().nonnegative();
const Moment = z.union([z.date(), z.string()]).transform((value, context) => {
  const moment = new Date(value);
  if (!Number.isNaN(moment.getTime())) return moment;
  context.addIssue({ code: "custom", message: "it is not a time" });
  return z.NEVER;
});

export const SourceUser = z.object({
  id: z.string().regex(/^[\x21-\x7e]{1,100}$/, "use 1 to 100 printable ASCII characters"),
  user_name: z.string().max(1000).nullish().default(null),
  cli_id: z.string().nullish().default(null),
  cli_valid: z.boolean().nullish().default(false),
  cli_auth_provider: z.string().nullish().default(null),
  is_banned: z.boolean().nullish().default(false),
});
export type SourceUser = z.infer<typeof SourceUser>;

export const SourceLeaderboard = z.object({
  id: Id,
  name: z.string().min(1).max(1000),
  deadline: Moment,
  task: z.unknown(),
  description: z.string().nullish().default(null),
  visibility: z.enum(["public", "closed"]).default("public"),
  gpus: z.array(z.string()),
  templates: z.record(z.string(), z.string()),
  /** Time of the first submission; null without one. */
  first_submission: Moment.nullable(),
});
export type SourceLeaderboard = z.infer<typeof SourceLeaderboard>;

export const SourceInvite = z.object({
  id: Id,
  code: z.string().regex(/^[\x21-\x7e]{16,200}$/, "use 16 to 200 printable ASCII characters"),
  user_id: z.string().nullish().default(null),
  claimed_at: Moment.nullish().default(null),
  created_at: Moment,
  leaderboards: z.array(Id),
});
export type SourceInvite = z.infer<typeof SourceInvite>;

export const SourceRateLimit = z.object({
  id: Id,
  leaderboard_id: Id,
  mode_category: z.enum(["test", "leaderboard"]),
  max_submissions_per_hour: z
    .int()
    .min(0)
    .max(2 ** 31 - 1),
});
export type SourceRateLimit = z.infer<typeof SourceRateLimit>;

/** A `numeric`, which may be NaN. */
const Score = z.union([z.number(), z.string()]).transform(Number);

export const SourceRun = z.object({
  id: Id,
  submission_id: Id,
  start_time: Moment,
  end_time: Moment,
  mode: z.string(),
  secret: z.boolean(),
  runner: z.string(),
  score: Score.nullable(),
  passed: z.boolean(),
  /** Null for secret runs, whose results show their inputs. */
  result: z.record(z.string(), z.unknown()).nullable().catch(null),
  compiled: z.boolean().nullable().catch(null),
  exit_code: z.number().nullable().catch(null),
  stdout: z.string().nullable().catch(null),
  stderr: z.string().nullable().catch(null),
});
export type SourceRun = z.infer<typeof SourceRun>;

export const SourceSubmission = z.object({
  id: Id,
  leaderboard_id: Id,
  file_name: z.string(),
  user_id: z.string(),
  submission_time: Moment,
  done: z.boolean().nullish().default(false),
  status: z.string().nullish().default("active"),
  mode_category: z.string().nullish().default(null),
  job_status: z.string().nullable(),
  job_error: z.string().nullable(),
  /** Bytes of the source; a text in the versions before July 2025. */
  code: z.union([z.instanceof(Uint8Array), z.string().transform((text) => new TextEncoder().encode(text))]),
});
export type SourceSubmission = z.infer<typeof SourceSubmission>;
