/** Conversions between the client's terms and KernelBot's. */
import {
  KernelBotError,
  quote,
  formatWait,
  formatWaitingTargets,
  type Mode,
  type RunSummary,
  type Submission,
} from "@kernelbot/core";

/** Modes that the client knows; `leaderboard` is the fourth. */
const MODES_OF_CLIENT = ["test", "benchmark", "profile"] as const;

/**
 * Returns the mode of the client's word, in any case; the client's `leaderboard` is `ranked`.
 * @throws KernelBotError `bad_request`.
 */
export function modeOf(word: string): Mode {
  const lower = word.toLowerCase();
  const mode = lower === "leaderboard" ? "ranked" : MODES_OF_CLIENT.find((each) => each === lower);
  if (mode !== undefined) return mode;
  throw new KernelBotError(
    "bad_request",
    `Invalid submission mode value: ${quote(word)}. The modes are test, benchmark, leaderboard and profile.`,
  );
}

/** Returns the client's word for a mode. */
export function wordOf(mode: Mode): string {
  return mode === "ranked" ? "leaderboard" : mode;
}

/**
 * Describes the progress of a submission: `queued, position 2 in the queue, expected wait about 3 min (2–6)`, `running stage
 * test`, `queued, position 1 in the queue; no runner for H100 is connected; 1 submission queued; last seen 2 h ago`.
 */
export function formatProgress({ runs }: Pick<Submission, "runs">, now: Date): string {
  const words = runs.map((run) => (runs.length === 1 ? formatState(run) : `${run.target} ${formatState(run)}`));
  return [...words, ...formatWaitingTargets(runs, now)].join("; ");
}

function formatState({ state, stage, queuePosition, expectedWaitMs, attempt }: RunSummary): string {
  switch (state) {
    case "queued": {
      const again = attempt > 0 ? " again" : "";
      const place = queuePosition === null ? "" : `, position ${queuePosition} in the queue`;
      return `queued${again}${place}${expectedWaitMs === null ? "" : `, expected wait ${formatWait(expectedWaitMs)}`}`;
    }
    case "running":
      return stage === null ? "starting" : `running stage ${stage}`;
    case "done":
    case "cancelled":
      return state;
  }
}
