/** The client's words for ours. */
import {
  KernelBotError,
  SINGLE_MODES,
  quote,
  waitWords,
  type Mode,
  type RunSummary,
  type Submission,
} from "@kernelbot/core";

/** The client says `leaderboard` where we say `ranked`; case does not matter. @throws KernelBotError `bad_request`. */
export function modeOf(word: string): Mode {
  const lower = word.toLowerCase();
  const mode = lower === "leaderboard" ? "ranked" : SINGLE_MODES.find((each) => each === lower);
  if (mode !== undefined && lower !== "ranked") return mode;
  throw new KernelBotError(
    "bad_request",
    `Invalid submission mode value: ${quote(word)}. The modes are test, benchmark, leaderboard and profile.`,
  );
}

/** The mode in the client's words. */
export function wordOf(mode: Mode): string {
  return mode === "ranked" ? "leaderboard" : mode;
}

/** Where a submission is, for a person who waits: `queued, number 2 in line, expected wait about 3 min (2–6)`, `running stage test`. */
export function progressWords({ runs }: Pick<Submission, "runs">): string {
  const words = runs.map((run) => (runs.length === 1 ? stateWords(run) : `${run.target} ${stateWords(run)}`));
  return words.join("; ");
}

function stateWords({ state, stage, queuePosition, expectedWaitMs, attempt }: RunSummary): string {
  switch (state) {
    case "queued": {
      const again = attempt > 0 ? " again" : "";
      const place = queuePosition === null ? "" : `, number ${queuePosition} in line`;
      return `queued${again}${place}${expectedWaitMs === null ? "" : `, expected wait ${waitWords(expectedWaitMs)}`}`;
    }
    case "running":
      return stage === null ? "starting" : `running stage ${stage}`;
    case "done":
    case "cancelled":
      return state;
  }
}
