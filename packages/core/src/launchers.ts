/** Launchers, which make runners exist where the hardware is, as administrators see them. */
import { z } from "zod";
import { TargetName } from "./problem-spec.ts";

/** The services that a launcher may ask. */
export const LAUNCHER_KINDS = ["local", "github", "kubernetes", "slurm", "modal"] as const;
export type LauncherKind = (typeof LAUNCHER_KINDS)[number];

/**
 * How far a launch has come. `starting`: the service is being asked; `launched`: it has taken it; `joined`: the runner has
 * asked for work; `ended`: its runner was there, and is no more; `failed`: none ever was.
 *
 *     starting -> launched -> joined -> ended
 *         \-----------\-----> failed
 */
export const LAUNCH_STATES = ["starting", "launched", "joined", "ended", "failed"] as const;
export const LaunchState = z.enum(LAUNCH_STATES);
export type LaunchState = z.infer<typeof LaunchState>;

export const LauncherName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,29}$/, "use small letters, digits and - (at most 30)");

/** What the service and the runner call a launch. */
export const LaunchName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, "use the name of a launch, kernelbot-...");

export const Launch = z.object({
  id: z.int(),
  launcher: z.string(),
  target: TargetName,
  name: LaunchName,
  state: LaunchState,
  /** An administrator has ended it, or its token, and its service is still to be told. */
  ending: z.boolean(),
  /** What the service calls it by; null where it has not said. */
  externalId: z.string().nullable(),
  createdAt: z.iso.datetime(),
  joinedAt: z.iso.datetime().nullable(),
  endedAt: z.iso.datetime().nullable(),
  /** After this its runner claims nothing more. */
  endsBy: z.iso.datetime(),
  /** What it has cost until now, in the unit of the launcher's rate. */
  cost: z.number().nonnegative(),
  /** Why it failed, or what went wrong with it last; null where all is well. */
  error: z.string().nullable(),
  /** Of one that failed: until when its launcher lets its target be. */
  retryAt: z.iso.datetime().nullable(),
});
export type Launch = z.infer<typeof Launch>;

/** A target that a launcher serves. */
export const LauncherTarget = z.object({
  launcher: z.string(),
  kind: z.enum(LAUNCHER_KINDS),
  target: TargetName,
  /** Its launches that have not ended, and how many there may be. */
  open: z.int().nonnegative(),
  maxRunners: z.int().positive(),
  /** What an hour of a runner costs; 1, and so hours, where nobody has said. */
  ratePerHour: z.number().nonnegative(),
  /** What was spent, and what those that run may still spend, in this day and month (UTC). */
  spentToday: z.number().nonnegative(),
  spentThisMonth: z.number().nonnegative(),
  budgetPerDay: z.number().nullable(),
  budgetPerMonth: z.number().nullable(),
  /** What it would do now, and why, in a sentence. */
  says: z.string(),
  /** Whether it launches nothing though runs wait: for trouble, a limit or a budget. */
  held: z.boolean(),
});
export type LauncherTarget = z.infer<typeof LauncherTarget>;

/** What a launched runner gets for its proof. */
export const RunnerToken = z.object({ token: z.string() });

/** The targets in the order of the configuration, and the latest launches. */
export const LauncherList = z.object({ targets: z.array(LauncherTarget), launches: z.array(Launch) });
export type LauncherList = z.infer<typeof LauncherList>;
