/** Moderators' decisions about a submission, the appeal against each, and its answer. */
import { isAppealable, type Decision, type DecisionAct } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { moment } from "../layout/format.ts";
import type { SubmissionPage } from "./page-data.ts";

/** Renders the decisions; null if there are none. The data has them only for viewers of the whole submission. */
export function decisions({ submission, decisions, isOwn, typed }: SubmissionPage): Html | null {
  if (decisions.length === 0) return null;
  return html`<section class="decisions" id="decisions">
    <h2>Moderator decisions</h2>
    ${decisions.map((each) => decision(each, submission.id, isOwn, typed))}
  </section>`;
}

const ACT_LABELS: Record<DecisionAct, string> = {
  accept: "Accepted",
  reject: "Rejected",
  remove: "Removed",
  restore: "Restored",
  ban: "Banned",
  unban: "Unbanned",
  uphold: "Upheld",
};

function decision(
  { id, at, act, runId, reason, appeal, answer }: Decision,
  submissionId: number,
  isOwn: boolean,
  typed?: string,
): Html {
  return html`<div class="decision" id="decision-${id}">
    <p>
      <strong>${ACT_LABELS[act]}</strong>${runId === null ? null : html` (<a href="#run-${runId}">run ${runId}</a>)`},
      ${moment(at)}:
    </p>
    <blockquote>${reason}</blockquote>
    ${
      appeal === null
        ? null
        : html`<p>${isOwn ? "You appealed" : "The owner appealed"}, ${moment(appeal.at)}:</p>
            <blockquote>${appeal.text}</blockquote>`
    }
    ${
      answer === null
        ? appeal === null
          ? null
          : html`<p class="care">No moderator has answered yet.</p>`
        : html`<p>
              <strong class="${answer.act === "uphold" ? "bad" : "good"}"
                >${answer.act === "uphold" ? "Appeal denied" : "Appeal granted"}</strong
              >, ${moment(answer.at)}:
            </p>
            <blockquote>${answer.reason}</blockquote>`
    }
    ${isOwn && appeal === null && isAppealable(act) ? appealForm(id, submissionId, typed) : null}
  </div>`;
}

function appealForm(decisionId: number, submissionId: number, typed = ""): Html {
  const field = `appeal-${decisionId}`;
  return html`<form method="post" action="/submissions/${submissionId}/appeal" class="stack">
    <input type="hidden" name="decision" value="${decisionId}" />
    <label for="${field}">Appeal: why should this decision be changed? You can appeal once; the answer is final.</label>
    <textarea id="${field}" name="text" rows="4" required maxlength="4000">${typed}</textarea>
    <button>Appeal</button>
  </form>`;
}
