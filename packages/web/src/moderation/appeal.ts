/** Page of an appeal: the decision, the appeal, and the form for the final answer. */
import { isAppealable, REVERSALS, type AccountHistory, type Decision, type ModerationQueue } from "@kernelbot/core";
import { hiddenFields, problemNotice } from "../layout/forms.ts";
import { breadcrumb } from "../layout/breadcrumb.ts";
import { html, type Html } from "../html.ts";
import { page } from "../layout/layout.ts";
import type { SignedVisit } from "../layout/page-context.ts";
import { capital, moment } from "../layout/format.ts";
import { inQueue, type QueueQuery } from "./queue.ts";
import { formatDecision, decisionList } from "./decision-list.ts";

interface AppealPage {
  visit: SignedVisit;
  decision: ModerationQueue["appeals"][number];
  history: AccountHistory;
  query: QueueQuery;
  problem?: string | undefined;
  reason?: string | undefined;
}

/** Effect of granting an appeal, by kind of decision. */
const GRANT_LABELS: Readonly<Record<keyof typeof REVERSALS, string>> = {
  reject: "Grant: accept the run",
  remove: "Grant: restore the submission",
  ban: "Grant: unban the account",
};

export function appealPage(shown: AppealPage): Promise<string> {
  const { visit, decision, history, query, problem } = shown;
  const { decidedBy } = decision;
  const others = history.decisions.filter(({ id }) => id !== decision.id);
  return page({
    visit,
    title: capital(formatDecision(decision)),
    body: html`
      ${breadcrumb([["Moderation", inQueue("/moderation", query)]])}
      <h1>${capital(formatDecision(decision))}</h1>
      ${problemNotice(problem)}
      <p>
        Decided by <strong>${decidedBy.name}</strong> about <strong>${decision.account.name}</strong>,
        ${moment(decision.at)}${where(decision, query)}:
      </p>
      <p class="message">${decision.reason}</p>
      <h2>Appeal</h2>
      ${
        decision.appeal === null
          ? html`<p class="empty">No appeal was made.</p>`
          : html`<p class="message">${decision.appeal.text}</p>
              <p><small>${decision.account.name}, ${moment(decision.appeal.at)}</small></p>`
      }
      ${answerSection(shown)}
      ${
        others.length === 0
          ? null
          : html`<h2>Other decisions about ${decision.account.name}</h2>
              ${decisionList(others)}`
      }
    `,
  });
}

function where({ runId, submissionId }: Decision, query: QueueQuery): Html | null {
  if (runId !== null)
    return html` (<a href="${inQueue(`/moderation/runs/${runId}`, query)}">run ${runId} and its evidence</a>)`;
  if (submissionId === null) return null;
  return html` (<a href="/submissions/${submissionId}">submission ${submissionId}</a>)`;
}

function answerSection({ visit, decision, query, reason = "" }: AppealPage): Html | null {
  const { id, act, appeal, answer, decidedBy } = decision;
  if (answer !== null) {
    return html`<h2>Answer</h2>
      <p class="message">${answer.reason}</p>
      <p><small>${answer.act === "uphold" ? "Appeal denied" : "Appeal granted"}, ${moment(answer.at)}</small></p>`;
  }
  if (appeal === null || !isAppealable(act)) return null;
  return html`<h2 id="answer">Answer</h2>
    ${
      decidedBy.id === visit.viewer.id
        ? html`<p class="notice">You made this decision. Another moderator should answer the appeal.</p>`
        : null
    }
    <form method="post" action="/moderation/decisions/${id}/answer" class="stack">
      ${hiddenFields({ ...query })}
      <label for="reason">Reason, shown to the account that appealed. The answer is final.</label>
      <textarea id="reason" name="reason" rows="4" required maxlength="1000">${reason}</textarea>
      <div class="buttons">
        <button name="answer" value="grant">${GRANT_LABELS[act]}</button>
        <button name="answer" value="uphold" class="quiet">Deny the appeal</button>
      </div>
    </form>`;
}
