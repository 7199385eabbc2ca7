/** Describes how many rounds a timed case had. */
import { formatCount } from "../text/text.ts";
import type { CaseFinished, StopReason } from "./tester-protocol.ts";

const STOP_REASONS: Record<StopReason, string> = {
  precise: "precise",
  rounds: "limit",
  time: "out of time",
  distinct: "far from other entries",
};

/**
 * Formats the number of rounds of a case with the reason why there were no more, if it is known: `9 rounds (precise)`,
 * `12 rounds (limit)`, `7 rounds (out of time)`.
 */
export function formatRounds({ rounds, stopped }: Pick<CaseFinished, "rounds" | "stopped">): string {
  return `${formatCount(rounds.length, "round")}${stopped === null ? "" : ` (${STOP_REASONS[stopped]})`}`;
}
