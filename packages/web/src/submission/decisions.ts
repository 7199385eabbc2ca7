/** Moderators' decisions about a submission, the appeal against each, and its answer. */
import { isAppealable, type Decision, type DecisionAct } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { moment } from "../layout/format.ts";
import type { SubmissionPage } from "./page-data.ts";

/** Renders the decisions, which only viewers of the whole submission receive; null if there are none. */
export function decisions({ submission, decisions, isOwn, typed }: SubmissionPage): Html | null {
  if (decisions.length === 0) return null;
  return html`<section class="decisions" id="decisions">
    <h2>Decided by moderators</h2>
    ${decisions.map((each) => decision(each, submission.id, isOwn, typed))}
  </section>`;
}

const ACTED: Record<DecisionAct, string> = {
  accept: "Accepted",
  reject: "Rejected",
  remove: "Removed",
  restore: "Put back",
  ban: "Banned",
  unban: "Ban ended",
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
      <strong>${ACTED[act]}</strong>${runId === null ? null : html` (<a href="#run-${runId}">run ${runId}</a>)`},
      ${moment(at)}:
    </p>
    <blockquote>${reason}</blockquote>
    ${
      appeal === null
        ? null
        : html`<p>${isOwn ? "You appealed" : "Its owner appealed"}, ${moment(appeal.at)}:</p>
            <blockquote>${appeal.text}</blockquote>`
    }
    ${
      answer === null
        ? appeal === null
          ? null
          : html`<p class="care">No moderator has answered yet.</p>`
        : html`<p>
              <strong class="${answer.act === "uphold" ? "bad" : "good"}"
                >${answer.act === "uphold" ? "The decision stands" : "The appeal was granted"}</strong
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
    <label for="${field}">Appeal: why should it be decided otherwise? Once, and the answer is final.</label>
    <textarea id="${field}" name="text" rows="4" required maxlength="4000">${typed}</textarea>
    <button>Appeal</button>
  </form>`;
}
