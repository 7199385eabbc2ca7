/** Whether the queued runs of a target will be claimed: runners that are connected, and launchers that start some. */
import { z } from "zod";

/**
 * Status of a target: `online` if a runner is connected that can claim runs; `starting` if the server has just started
 * one on its own machine; `on_demand` if a launcher can start one; `paused` if every connected runner is paused; else
 * `offline`.
 */
export const TargetStatus = z.enum(["online", "starting", "on_demand", "paused", "offline"]);
export type TargetStatus = z.infer<typeof TargetStatus>;

/** Runners and queue of a target. */
export const TargetAvailability = z.object({
  status: TargetStatus,
  /** Number of connected runners that can claim runs. */
  online: z.int().nonnegative(),
  /** Number of queued runs of the target, from all accounts. */
  queued: z.int().nonnegative(),
  /** When a runner of the target was last seen; null while one is online, and if none has been seen. */
  lastSeenAt: z.iso.datetime().nullable(),
});
export type TargetAvailability = z.infer<typeof TargetAvailability>;

/** Returns whether runs of a target can start: a runner is online, starting, or started on demand. */
export function canRun({ status }: Pick<TargetAvailability, "status">): boolean {
  return status === "online" || status === "starting" || status === "on_demand";
}

/**
 * Formats why a queued run does not start at once: `no runner for H100 is connected; 3 submissions queued; last seen
 * 2 h ago`. Null if a runner is online.
 */
export function formatAvailability(
  target: string,
  { status, queued, lastSeenAt }: Omit<TargetAvailability, "online">,
  now: Date,
): string | null {
  const queue = `${queued === 0 ? "no" : queued} ${queued === 1 ? "submission" : "submissions"} queued`;
  switch (status) {
    case "online":
      return null;
    case "starting":
      return `the runner for ${target} is starting; ${queue}`;
    case "on_demand":
      return `a runner for ${target} is started on demand; ${queue}`;
    case "paused":
      return `every runner for ${target} is paused; ${queue}`;
    case "offline": {
      const seen = lastSeenAt === null ? "never" : `${formatAge(now.getTime() - Date.parse(lastSeenAt))} ago`;
      return `no runner for ${target} is connected; ${queue}; last seen ${seen}`;
    }
  }
}

/**
 * Formats the statuses of targets as the query of an event stream, so that the stream reports when they change:
 * `H100:offline,cpu:online`.
 */
export function formatTargetStatuses(
  targets: readonly string[],
  availabilities: (target: string) => Pick<TargetAvailability, "status">,
): string {
  const distinct = [...new Set(targets)].toSorted();
  return distinct.map((target) => `${target}:${availabilities(target).status}`).join(",");
}

/** Returns the targets of what `formatTargetStatuses` returned. */
export function targetsOfStatuses(text: string): string[] {
  return text.split(",").map((part) => part.slice(0, part.indexOf(":")));
}

const UNITS = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
] as const;

/** Formats an age in its largest unit, rounded down: `2 h`. No seconds, so that messages rarely have to be edited. */
function formatAge(ms: number): string {
  const unit = UNITS.find(([size]) => ms >= size);
  return unit === undefined ? "less than 1 min" : `${Math.floor(ms / unit[0])} ${unit[1]}`;
}

/**
 * Returns a sentence for each target for which a run is queued and no runner is online, in the order of the runs; empty
 * if there is none.
 */
export function formatWaitingTargets(
  runs: readonly { target: string; runners: TargetAvailability | null }[],
  now: Date,
): string[] {
  const sentences = runs.map(({ target, runners }) => runners && formatAvailability(target, runners, now));
  return [...new Set(sentences.filter((sentence) => sentence !== null))];
}

/**
 * Returns whether no open run of a submission can proceed: all are queued, and no runner of their targets is online or
 * started on demand.
 */
export function isStranded(runs: readonly { state: string; runners: TargetAvailability | null }[]): boolean {
  const open = runs.filter(({ state }) => state === "queued" || state === "running");
  return open.length > 0 && open.every(({ runners }) => runners !== null && !canRun(runners));
}
