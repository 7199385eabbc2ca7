/** Launchers, which start runners on external hardware, as administrators see them. */
import { z } from "zod";
import { TargetName } from "../vocabulary/specification.ts";

/** Kinds of services with which a launcher starts runners. */
export const LAUNCHER_KINDS = ["local", "github", "kubernetes", "slurm", "modal"] as const;
export type LauncherKind = (typeof LAUNCHER_KINDS)[number];

/**
 * State of a launch. `starting`: the request to the service is in progress; `launched`: the service accepted it;
 * `joined`: the runner has asked for work; `ended`: the runner is gone; `failed`: no runner ever joined.
 *
 *     starting -> launched -> joined -> ended
 *         \-----------\-----> failed
 */
export const LAUNCH_STATES = ["starting", "launched", "joined", "ended", "failed"] as const;
export const LaunchState = z.enum(LAUNCH_STATES);
export type LaunchState = z.infer<typeof LaunchState>;

export const LauncherName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,29}$/, "use lower-case letters, digits and - (at most 30)");

/** Name of a launch, used by the service and as the runner's name. */
export const LaunchName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, "use the name of a launch, such as kernelbot-...");

export const Launch = z.object({
  id: z.int(),
  launcher: z.string(),
  target: TargetName,
  name: LaunchName,
  state: LaunchState,
  /** True if an administrator ended the launch or revoked its token, and the service has not been notified yet. */
  ending: z.boolean(),
  /** Id of the launch at the service; null until known. */
  externalId: z.string().nullable(),
  createdAt: z.iso.datetime(),
  joinedAt: z.iso.datetime().nullable(),
  endedAt: z.iso.datetime().nullable(),
  /** Time after which the runner claims no more runs. */
  endsBy: z.iso.datetime(),
  /** Cost so far, in the unit of the launcher's rate. */
  cost: z.number().nonnegative(),
  /** Why the launch failed, or its latest error; null if there was none. */
  error: z.string().nullable(),
  /** For a failed launch: time before which the launcher starts nothing else for its target. */
  retryAt: z.iso.datetime().nullable(),
});
export type Launch = z.infer<typeof Launch>;

/** Target that a launcher serves. */
export const LauncherTarget = z.object({
  launcher: z.string(),
  kind: z.enum(LAUNCHER_KINDS),
  target: TargetName,
  /** Number of launches that have not ended, and its maximum. */
  open: z.int().nonnegative(),
  maxRunners: z.int().positive(),
  /** Cost of a runner per hour; 1 if not configured, so that costs are in hours. */
  ratePerHour: z.number().nonnegative(),
  /** Cost of this day and month (UTC), including what open launches may still incur. */
  spentToday: z.number().nonnegative(),
  spentThisMonth: z.number().nonnegative(),
  budgetPerDay: z.number().nullable(),
  budgetPerMonth: z.number().nullable(),
  /** Present decision of the launcher with its reason; one sentence. */
  explanation: z.string(),
  /** True if runs are queued but nothing is launched because of an error, a limit or a budget. */
  onHold: z.boolean(),
});
export type LauncherTarget = z.infer<typeof LauncherTarget>;

/** Token that a launched runner receives in exchange for its proof of identity. */
export const RunnerToken = z.object({ token: z.string() });

/** Targets in the order of the configuration, and the latest launches. */
export const LauncherList = z.object({ targets: z.array(LauncherTarget), launches: z.array(Launch) });
export type LauncherList = z.infer<typeof LauncherList>;
