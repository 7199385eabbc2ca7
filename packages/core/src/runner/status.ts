/** Runners and their tokens, as administrators see them. */
import { z } from "zod";
import { AccountName } from "../vocabulary/entrant.ts";
import { Machine } from "../machine/machine.ts";
import { ProblemName, TargetName } from "../vocabulary/specification.ts";
import { RunMode, Stage } from "../vocabulary/states.ts";

/** Administrative state of a runner: `paused` claims nothing, `draining` finishes its runs and exits. */
export const RunnerAdminState = z.enum(["active", "paused", "draining"]);
export type RunnerAdminState = z.infer<typeof RunnerAdminState>;

export const RUNNER_ACTIONS = ["pause", "resume", "drain"] as const;
export type RunnerAction = (typeof RUNNER_ACTIONS)[number];

/** Canary results of a runner. */
export const CanaryStatus = z.object({
  /** When the canary was last timed; null if never. */
  at: z.iso.datetime().nullable(),
  /** Latest times, in the order of CANARY_CASES; null if there are none or the latest canary failed. */
  timesNs: z.array(z.number()).nullable(),
  failure: z.string().nullable(),
  /** Baseline that the times are compared with; null until there are enough measurements. */
  baselineNs: z.array(z.number()).nullable(),
  /** Largest deviation of the latest times from the baseline: 0.1 is 10 % slower. */
  drift: z.number().nullable(),
  /** Drift above which the server pauses the runner; null if it never does. */
  bound: z.number().nullable(),
});
export type CanaryStatus = z.infer<typeof CanaryStatus>;

export const RunnerStatus = z.object({
  id: z.int(),
  target: TargetName,
  /** Name of the runner, chosen by its operator. */
  name: z.string(),
  /** Id of the token with which the runner joined. */
  tokenId: z.int(),
  /** Label of that token. */
  label: z.string(),
  hostname: z.string(),
  model: z.string(),
  testerVersion: z.string(),
  sandbox: z.enum(["bubblewrap", "none"]),
  firstSeenAt: z.iso.datetime(),
  lastSeenAt: z.iso.datetime(),
  /** `gone`: the runner neither works nor asks for work. */
  state: z.enum(["working", "waiting", "gone"]),
  /** Load average for each core when the runner last asked for work; null if it is not known. */
  load: z.number().nullable().default(null),
  /** Whether its token is revoked or expired. */
  revoked: z.boolean(),
  /** Why the runner's hardware does not match the target it claims for; null if it matches. */
  refused: z.string().nullable(),
  adminState: RunnerAdminState,
  /** Why the runner is not active; null if it is active. */
  reason: z.string().nullable(),
  /** Account that set `adminState`; null if the server did. */
  adminStateBy: AccountName.nullable(),
  adminStateAt: z.iso.datetime(),
  /** Counts of attempts since the runner was first seen. */
  attempts: z.object({
    ended: z.int().nonnegative(),
    /** Attempts in which the kernel failed. */
    failed: z.int().nonnegative(),
    /** Attempts that ended with an infrastructure error or the loss of the runner. */
    infraErrors: z.int().nonnegative(),
    /** Number of infrastructure errors since the last verdict. */
    infraErrorsInRow: z.int().nonnegative(),
    lastError: z.object({ at: z.iso.datetime(), message: z.string() }).nullable(),
  }),
  canary: CanaryStatus,
  /** Runs that are leased to the runner. */
  runs: z.array(
    z.object({
      runId: z.int(),
      submissionId: z.int(),
      board: ProblemName,
      mode: RunMode,
      stage: Stage.nullable(),
      startedAt: z.iso.datetime(),
    }),
  ),
});
export type RunnerStatus = z.infer<typeof RunnerStatus>;

/** Load average for each core from which on a machine is busy: more than the runs of its own runner cause. */
const BUSY_LOAD = 1.5;

/** Describes that the machine of a runner is busy, so that its runs may be noisy; null if it is not. */
export function formatBusyMachine({ load }: Pick<RunnerStatus, "load">): string | null {
  if (load === null || load <= BUSY_LOAD) return null;
  return `machine busy: ${load.toFixed(1)} processes for each core`;
}

/** Runners, sorted by target and name. */
export const RunnerList = z.object({ runners: z.array(RunnerStatus) });

/** Result of one canary. */
export const CanaryResult = z.object({
  at: z.iso.datetime(),
  timesNs: z.array(z.number()).nullable(),
  failure: z.string().nullable(),
});
export type CanaryResult = z.infer<typeof CanaryResult>;

/** Status of a runner with its machine and its canary history. */
export const RunnerDetail = RunnerStatus.extend({
  machine: Machine,
  /** Latest canaries, newest last. */
  canaries: z.array(CanaryResult),
});
export type RunnerDetail = z.infer<typeof RunnerDetail>;

/** Token with which runners join. */
export const JoinToken = z.object({
  id: z.int(),
  label: z.string(),
  /** Owner of the token. */
  account: AccountName,
  targets: z.array(TargetName),
  /** Maximum number of runner names that may join with the token; null for no limit. */
  runners: z.int().positive().nullable(),
  /** Number of runner names that joined with the token and were seen in the last week. */
  joined: z.int().nonnegative(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable(),
  lastUsedAt: z.iso.datetime().nullable(),
});
export type JoinToken = z.infer<typeof JoinToken>;
/** Tokens that are neither revoked nor expired, newest first. */
export const JoinTokenList = z.object({ tokens: z.array(JoinToken) });
