/** Message of a run and advice on the next step. */
import { ADVICE, failureOutcome, infraErrorAdvice, type Decision, type RunDetail } from "@kernelbot/core";
import { html, type Html } from "../html.ts";

/** Renders the message and the next step, each only if the run has one. */
export function advice(run: RunDetail, isOwn: boolean, decisions: readonly Decision[]): Html | null {
  const next = nextStep(run, isOwn, decisions);
  return html`${run.message === null ? null : html`<p class="message">${run.message}</p>`}
  ${next === null ? null : html`<p class="advice">${next}</p>`}`;
}

function nextStep(run: RunDetail, isOwn: boolean, decisions: readonly Decision[]): string | Html | null {
  const ending = failureOutcome(run);
  if (ending === null) return null;
  if (ending === "infra_error") return `${infraErrorAdvice(run)} This run does not count against your limits.`;
  if (!isOwn)
    return ending === "quarantined" ? "Not listed on the leaderboard until a moderator has reviewed it." : null;
  const rejection = decisions.find(({ act, runId }) => act === "reject" && runId === run.id);
  if (ending !== "rejected" || rejection === undefined) return ADVICE[ending];
  return rejection.appeal === null
    ? html`You can <a href="#decision-${rejection.id}">appeal</a> against this decision once.`
    : html`For the status of your appeal, see <a href="#decision-${rejection.id}">the moderators’ decision</a>.`;
}
