/** Describes how calls were timed, and how many rounds a timed case had. */
import { REGIMES } from "../vocabulary/specification.ts";
import type { RunDetail } from "./submission.ts";
import { formatCount } from "../text/text.ts";
import type { CaseFinished, StopReason } from "../run/tester-protocol.ts";

const STOP_REASONS: Record<StopReason, string> = {
  precise: "precise",
  rounds: "limit",
  time: "out of time",
};

/**
 * Formats the number of rounds of a case with the reason why there were no more, if it is known: `9 rounds (precise)`,
 * `12 rounds (limit)`, `7 rounds (out of time)`.
 */
export function formatRounds({ rounds, stopped }: Pick<CaseFinished, "rounds" | "stopped">): string {
  return `${formatCount(rounds.length, "round")}${stopped === null ? "" : ` (${STOP_REASONS[stopped]})`}`;
}

/** Returns a clause such as `calls timed one by one, with cold caches`; null if the judge timed none of the run's cases. */
export function formatRegime({
  regime,
  stages,
  legacyHarness,
}: Pick<RunDetail, "regime" | "stages" | "legacyHarness">): string | null {
  const isTimed = stages.some(({ cases }) => cases.some(({ rounds }) => rounds.length > 0));
  return isTimed && !legacyHarness ? `calls timed ${REGIMES[regime]}` : null;
}
