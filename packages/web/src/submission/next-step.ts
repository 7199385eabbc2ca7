/** Next step after a run, for its state, mode and verdict. */
import {
  ADVICE,
  failureOutcome,
  infraErrorAdvice,
  type Mode,
  type RunDetail,
  type SubmissionRank,
} from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { result } from "../results/timing.ts";
import type { SubmissionPage } from "./page-data.ts";

/** Returns the next step for the viewer; null if there is none. */
export function nextStep(run: RunDetail, shown: SubmissionPage): string | Html | null {
  const { isOwn, decisions } = shown;
  if (run.state === "queued")
    return html`wait for the result, which this page shows as soon as it arrives;
      <a href="/queue#queue-${run.target}">the queue</a> shows the other runs.`;
  if (run.state === "running") return null;
  const ending = failureOutcome(run);
  if (ending === null) return isOwn ? afterPass(run, shown) : null;
  if (ending === "infra_error")
    return `${infraErrorAdvice(run)} Of an account’s submissions that could not be judged, the first within an hour counts against no limit.`;
  if (!isOwn)
    return ending === "quarantined" ? "Not listed on the leaderboard until a moderator has reviewed it." : null;
  const rejection = decisions.find(({ act, runId }) => act === "reject" && runId === run.id);
  if (ending !== "rejected" || rejection === undefined) return ADVICE[ending];
  return rejection.appeal === null
    ? html`You can <a href="#decision-${rejection.id}">appeal</a> against this decision once.`
    : html`For the status of your appeal, see <a href="#decision-${rejection.id}">the moderators’ decision</a>.`;
}

/** Step after a passed run of each mode but `ranked`. */
const AFTER_PASS: Partial<Record<Mode, string>> = {
  test: "submit it in mode benchmark to measure it, or in mode ranked to enter the leaderboard",
  benchmark: "submit it in mode ranked to enter the leaderboard",
};

function afterPass(run: RunDetail, { submission, acts, places }: SubmissionPage): Html | null {
  if (run.mode === "profile") return html`read <a href="#profile-${run.id}">where the time goes</a>.`;
  if (run.mode === "ranked") return aheadOf(places.find(({ target }) => target === run.target));
  const step = AFTER_PASS[run.mode];
  if (step === undefined || !acts.again) return null;
  return html`<a href="/problems/${submission.board}/submit?from=${submission.id}">open it in the editor</a> and
    ${step}.`;
}

/** Names the entry to beat; null for the leader and for a submission that is not listed. */
function aheadOf(place: SubmissionRank | undefined): Html | null {
  if (place?.own == null || place.ahead === null) return null;
  const { rank, account, timeNs } = place.ahead;
  const less = 1 - timeNs.value / place.own.timeNs.value;
  return html`rank ${rank.toLocaleString("en-US")} is held by ${account} with
  ${result(place.ahead)}${less > 0 ? html`, a runtime ${(100 * less).toPrecision(2)} % shorter` : null}.`;
}
