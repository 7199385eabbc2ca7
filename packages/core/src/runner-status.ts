/** Runners and what they join with, as administrators see them. */
import { z } from "zod";
import { AccountName } from "./board.ts";
import { Machine } from "./machine.ts";
import { ProblemName, TargetName } from "./problem-spec.ts";
import { Mode, Stage } from "./words.ts";

/** What a runner is told: `paused` claims nothing, `draining` finishes what it does and ends. */
export const RunnerStanding = z.enum(["active", "paused", "draining"]);
export type RunnerStanding = z.infer<typeof RunnerStanding>;

export const STANDING_CHANGES = ["pause", "resume", "drain"] as const;
export type StandingChange = (typeof STANDING_CHANGES)[number];

/** What the canary says of a runner. */
export const CanaryStatus = z.object({
  /** When it was last timed; null where it never was. */
  at: z.iso.datetime().nullable(),
  /** Its latest times, in the order of CANARY_CASES; null where there are none, or the latest failed. */
  timesNs: z.array(z.number()).nullable(),
  failure: z.string().nullable(),
  /** What it is compared with; null until there are enough. */
  baselineNs: z.array(z.number()).nullable(),
  /** How far the latest few are from that, in the worst case: 0.1 is 10 % slower. */
  drift: z.number().nullable(),
  /** Beyond which the server pauses the runner; null where it does not. */
  bound: z.number().nullable(),
});
export type CanaryStatus = z.infer<typeof CanaryStatus>;

export const RunnerStatus = z.object({
  id: z.int(),
  target: TargetName,
  /** What its operator calls it. */
  name: z.string(),
  /** What it joined with. */
  tokenId: z.int(),
  /** What that was made for. */
  label: z.string(),
  hostname: z.string(),
  model: z.string(),
  testerVersion: z.string(),
  sandbox: z.enum(["bubblewrap", "none"]),
  firstSeenAt: z.iso.datetime(),
  lastSeenAt: z.iso.datetime(),
  /** `gone`: it neither works nor asks for work. */
  state: z.enum(["working", "waiting", "gone"]),
  /** Whether its token still opens anything. */
  revoked: z.boolean(),
  /** Why its hardware is not the target that it asked for; null where it is. */
  refused: z.string().nullable(),
  standing: RunnerStanding,
  /** Why it is not active; null where it is. */
  reason: z.string().nullable(),
  /** Who told it so; null for the server. */
  standingBy: AccountName.nullable(),
  standingAt: z.iso.datetime(),
  /** Attempts since it was first seen. */
  attempts: z.object({
    ended: z.int().nonnegative(),
    /** The kernel failed. */
    failed: z.int().nonnegative(),
    /** The infrastructure failed, or the runner was lost. */
    infraErrors: z.int().nonnegative(),
    /** Of these, those since the last verdict. */
    infraErrorsInRow: z.int().nonnegative(),
    lastError: z.object({ at: z.iso.datetime(), message: z.string() }).nullable(),
  }),
  canary: CanaryStatus,
  /** What it works on. */
  runs: z.array(
    z.object({
      runId: z.int(),
      submissionId: z.int(),
      board: ProblemName,
      mode: Mode,
      stage: Stage.nullable(),
      startedAt: z.iso.datetime(),
    }),
  ),
});
export type RunnerStatus = z.infer<typeof RunnerStatus>;

/** By target and name. */
export const RunnerList = z.object({ runners: z.array(RunnerStatus) });

/** A canary as it was reported. */
export const CanaryTimed = z.object({
  at: z.iso.datetime(),
  timesNs: z.array(z.number()).nullable(),
  failure: z.string().nullable(),
});
export type CanaryTimed = z.infer<typeof CanaryTimed>;

/** All that is known of one runner. */
export const RunnerDetail = RunnerStatus.extend({
  machine: Machine,
  /** The latest, the newest last. */
  canaries: z.array(CanaryTimed),
});
export type RunnerDetail = z.infer<typeof RunnerDetail>;

/** What runners join with. */
export const JoinToken = z.object({
  id: z.int(),
  label: z.string(),
  /** Whose it is. */
  account: AccountName,
  targets: z.array(TargetName),
  /** How many names may join with it; null without a limit. */
  runners: z.int().positive().nullable(),
  /** How many of those that were seen in the last week have. */
  joined: z.int().nonnegative(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable(),
  lastUsedAt: z.iso.datetime().nullable(),
});
export type JoinToken = z.infer<typeof JoinToken>;
/** Those that are neither revoked nor expired, the newest first. */
export const JoinTokenList = z.object({ tokens: z.array(JoinToken) });
