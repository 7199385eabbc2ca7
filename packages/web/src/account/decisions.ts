/** Page of the moderators' decisions about the viewer, with a form to appeal once against each. */
import { isAppealable, type Decision } from "@kernelbot/core";
import { accountFrame } from "./frame.ts";
import { html, type Html } from "../html.ts";
import { decisionList } from "../moderation/decision-list.ts";
import type { SignedVisit } from "../layout/page-context.ts";

interface OwnDecisionsPage {
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
        ? html`<p class="empty">No moderator decisions about you or your submissions.</p>`
        : html`<p>
              You can appeal once against each decision that affects you. A moderator answers the appeal, preferably not
              the one who decided. The answer is final.
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
    <summary>Appeal this decision</summary>
    <form method="post" action="/account/decisions/${id}/appeal" class="stack">
      ${submissionId === null ? null : html`<p>About <a href="/submissions/${submissionId}">submission ${submissionId}</a></p>`}
      <label for="appeal-${id}">Why should this decision be changed?</label>
      <textarea id="appeal-${id}" name="text" rows="5" required maxlength="4000">${text}</textarea>
      <div><button class="quiet">Appeal</button></div>
    </form>
  </details>`;
}
