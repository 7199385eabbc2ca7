import type { Job } from "@kernelbot/core";

/** Multiple of its limit that a stage may take on a busy machine: WALL_FACTOR of processor_time_limit.py. */
const WALL_FACTOR = 3;

/**
 * Returns the maximum time of all stages in milliseconds, in any mode; the tester's own limits are reached earlier. Each
 * stage of a harness that is compiled compiles it anew, and a failed stage of a harness may be repeated without the
 * submission. `longest_s` of judge/host.py is the same for one submission.
 */
export function limitMs({ rival, problem }: Pick<Job, "rival" | "problem">): number {
  const { timeoutsS, application, harness, build } = problem.spec;
  const limits = Object.values(timeoutsS);
  const compilationsS = build === undefined ? 0 : (limits.length - 1) * timeoutsS.prepare;
  const stagesS = limits.reduce((sum, seconds) => sum + seconds, (application?.timeoutS ?? 0) + compilationsS);
  const submissions = rival === undefined ? 1 : 2;
  return 1000 * submissions * (harness === "legacy" ? 2 : 1) * WALL_FACTOR * stagesS;
}
