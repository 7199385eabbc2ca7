/** Message of a run, and what to do next. */
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
  if (ending === "infra_error") return `${infraErrorAdvice(run)} It counts against no limit.`;
  if (!isOwn) return ending === "quarantined" ? "It is on no board until a moderator has looked at it." : null;
  const rejection = decisions.find(({ act, runId }) => act === "reject" && runId === run.id);
  if (ending !== "rejected" || rejection === undefined) return ADVICE[ending];
  return rejection.appeal === null
    ? html`You may <a href="#decision-${rejection.id}">appeal</a> against this once.`
    : html`Of your appeal, see <a href="#decision-${rejection.id}">what moderators decided</a>.`;
}
