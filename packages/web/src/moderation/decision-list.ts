/** Decisions as text. */
import type { Decision, DecisionAct } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { moment } from "../layout/format.ts";

const PAST: Readonly<Record<DecisionAct, string>> = {
  accept: "accepted",
  reject: "rejected",
  remove: "removed",
  restore: "restored",
  ban: "banned",
  unban: "ban ended",
  uphold: "appeal refused",
};

/** Describes a decision: `run 15 rejected`, `submission 12 removed`, `account banned`. */
export function actWords({ act, runId, submissionId }: Pick<Decision, "act" | "runId" | "submissionId">): string {
  if (act === "uphold") return PAST.uphold;
  if (act === "unban") return PAST.unban;
  const what = runId !== null ? `run ${runId}` : submissionId !== null ? `submission ${submissionId}` : "account";
  return `${what} ${PAST[act]}`;
}

/** Renders decisions with their appeals and answers, in the given order. */
export function decisionList(decisions: readonly Decision[]): Html {
  return html`<ul class="decisions plain">
    ${decisions.map(
      (decision) =>
        html`<li id="decision-${decision.id}">
          <strong>${actWords(decision)}</strong>, ${moment(decision.at)}: ${decision.reason}
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
                  <small>(${decision.answer.act === "uphold" ? "it stands" : "turned round"})</small>
                </p>`
          }
        </li>`,
    )}
  </ul>`;
}
