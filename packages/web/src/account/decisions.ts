/** Page of the moderators' decisions about the viewer, with a form to appeal once against each. */
import { isAppealable, type Decision } from "@kernelbot/core";
import { accountFrame } from "./frame.ts";
import { html, type Html } from "../html.ts";
import { decisionList } from "../moderation/decision-list.ts";
import type { SignedVisit } from "../layout/page-context.ts";

export interface OwnDecisionsPage {
  visit: SignedVisit;
  decisions: readonly Decision[];
  problem?: string | undefined;
  /** Appeal as typed, if it failed, with the ID of its decision. */
  typed?: { id: number; text: string } | undefined;
}

export function ownDecisionsPage({ visit, decisions, problem, typed }: OwnDecisionsPage): Promise<string> {
  return accountFrame({
    visit,
    title: "Decisions about you",
    problem,
    body:
      decisions.length === 0
        ? html`<p class="empty">Moderators decided nothing about you or what you handed in.</p>`
        : html`<p>
              Against each that went against you, you may appeal once. Another moderator than the one who decided had
              better answer; the answer is final.
            </p>
            ${decisions.map((decision) => html`${decisionList([decision])} ${appealForm(decision, typed)}`)}`,
  });
}

function appealForm(
  { id, act, appeal, answer, submissionId }: Decision,
  typed: OwnDecisionsPage["typed"],
): Html | null {
  if (!isAppealable(act) || appeal !== null || answer !== null) return null;
  const text = typed?.id === id ? typed.text : "";
  return html`<details ${text === "" ? null : html`open`}>
    <summary>Appeal against it</summary>
    <form method="post" action="/account/decisions/${id}/appeal" class="stack">
      ${submissionId === null ? null : html`<p>It is about <a href="/submissions/${submissionId}">submission ${submissionId}</a>.</p>`}
      <label for="appeal-${id}">Why it should be decided otherwise</label>
      <textarea id="appeal-${id}" name="text" rows="5" required maxlength="4000">${text}</textarea>
      <div><button class="quiet">Appeal</button></div>
    </form>
  </details>`;
}
