/** Decisions as text. */
import type { Decision, DecisionAct } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { moment } from "../layout/format.ts";

const ACT_LABELS: Readonly<Record<DecisionAct, string>> = {
  accept: "accepted",
  reject: "rejected",
  remove: "removed",
  restore: "restored",
  ban: "banned",
  unban: "unbanned",
  uphold: "appeal denied",
};

/** Describes a decision: `run 15 rejected`, `submission 12 removed`, `account banned`. */
export function formatDecision({ act, runId, submissionId }: Pick<Decision, "act" | "runId" | "submissionId">): string {
  if (act === "uphold") return ACT_LABELS.uphold;

  const what = runId !== null ? `run ${runId}` : submissionId !== null ? `submission ${submissionId}` : "account";
  return `${what} ${ACT_LABELS[act]}`;
}

/** Renders decisions with their appeals and answers, in the given order. */
export function decisionList(decisions: readonly Decision[]): Html {
  return html`<ul class="decisions plain">
    ${decisions.map(
      (decision) =>
        html`<li id="decision-${decision.id}">
          <strong>${formatDecision(decision)}</strong>, ${moment(decision.at)}: ${decision.reason}
          ${
            decision.appeal === null
              ? null
              : html`<blockquote>
                  <p class="message">${decision.appeal.text}</p>
                  <small>appealed ${moment(decision.appeal.at)}</small>
                </blockquote>`
          }
          ${
            decision.answer === null
              ? null
              : html`<p>
                  Answered, ${moment(decision.answer.at)}: ${decision.answer.reason}
                  <small>(${decision.answer.act === "uphold" ? "appeal denied" : "appeal granted"})</small>
                </p>`
          }
        </li>`,
    )}
  </ul>`;
}
