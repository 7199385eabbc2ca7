/** Actions of a moderator on a run, its submission and its account: decisions first, other actions folded. */
import { html, type Html } from "../html.ts";
import { hiddenFields } from "../layout/forms.ts";
import type { InspectionPage } from "./inspection-page-data.ts";
import type { QueueQuery } from "./queue.ts";

const LONGEST_REASON = 1000;

/** Renders the decisions that are possible in the run's current state. */
export function decisionForm({ inspection: { run, flags }, query, reason = "" }: InspectionPage): Html {
  const isOpen = flags.length > 0 || run.verdict === "quarantined";
  const canFlag = run.mode === "ranked" && run.verdict === "passed";
  if (!isOpen && !canFlag) {
    return html`<h2 id="decide">Decide</h2>
      <p class="empty">There is nothing to decide: nothing speaks against it, and it is on no board.</p>`;
  }
  return html`<h2 id="decide">Decide</h2>
    <form method="post" action="/moderation/runs/${run.id}/act" class="stack">
      ${hiddenFields({ ...query })}
      <label for="reason">The reason, which its owner reads</label>
      <textarea id="reason" name="reason" rows="4" required maxlength="${LONGEST_REASON}" data-key="d">
${reason}</textarea>
      <div class="ways">
        ${
          isOpen
            ? html`<button name="act" value="accept">Accept</button>
                <button name="act" value="reject" class="danger">Reject</button>`
            : null
        }
        ${canFlag ? html`<button name="act" value="flag" class="quiet">Take off its board until decided</button>` : null}
      </div>
      <small class="needs-script">Keys: <kbd>d</kbd> to the reason, <kbd>n</kbd> to the next in the queue.</small>
    </form>`;
}

/** Renders the actions on the run as a whole, the submission and the account, each folded. */
export function otherActs({ inspection: { run }, submission, history, query }: InspectionPage): Html {
  const at = `/moderation/runs/${run.id}/act`;
  const ranks = run.mode === "ranked" && (run.verdict === "passed" || run.verdict === "quarantined");
  return html`<h2>More</h2>
    ${
      ranks
        ? html`<details>
            <summary>Run it again on fresh seeds</summary>
            <form method="post" action="${at}" class="stack">
              ${hiddenFields({ ...query })}
              <p>The same file on inputs from another secret seed. Once it has passed, its time is the entry’s.</p>
              <div><button name="act" value="rerun" class="quiet">Run again</button></div>
            </form>
          </details>`
        : null
    }
    ${
      submission.removed === null
        ? reasoned(at, query, "remove", {
            summary: "Remove the submission",
            meaning: "It leaves its boards, and nobody but its owner and moderators finds it any more.",
            button: "Remove",
          })
        : reasoned(at, query, "restore", {
            summary: "Restore the submission",
            meaning: "It is back on its boards, and found again.",
            button: "Restore",
          })
    }
    ${
      history.ban === null
        ? reasoned(at, query, "ban", {
            summary: `Ban ${history.account.name}`,
            meaning: "The account may read and appeal, and do nothing else; all of its results leave the boards.",
            button: "Ban",
          })
        : reasoned(at, query, "unban", {
            summary: `End the ban of ${history.account.name}`,
            meaning: "It may act again, and its results are back on the boards.",
            button: "End the ban",
          })
    }`;
}

/** Renders a folded form that requires a reason. Actions that take something away have a `danger` button. */
function reasoned(
  action: string,
  query: QueueQuery,
  act: "remove" | "restore" | "ban" | "unban",
  words: { summary: string; meaning: string; button: string },
): Html {
  const takesAway = act === "remove" || act === "ban";
  return html`<details>
    <summary>${words.summary}</summary>
    <form method="post" action="${action}" class="stack">
      ${hiddenFields({ ...query })}
      <p>${words.meaning}</p>
      <label for="${act}-reason">The reason, which its owner reads</label>
      <textarea id="${act}-reason" name="reason" rows="3" required maxlength="${LONGEST_REASON}"></textarea>
      <div><button name="act" value="${act}" class="${takesAway ? "danger" : "quiet"}">${words.button}</button></div>
    </form>
  </details>`;
}
