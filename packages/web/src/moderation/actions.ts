/** Actions of a moderator on a run, its submission and its account: decisions first, other actions folded. */
import { html, type Html } from "../html.ts";
import { hiddenFields } from "../layout/forms.ts";
import type { InspectionPage } from "./inspection-page-data.ts";
import type { QueueQuery } from "./queue.ts";

const MAX_REASON_LENGTH = 1000;

/** Renders the decisions that are possible in the run's current state. */
export function decisionForm({ inspection: { run, flags }, query, reason = "" }: InspectionPage): Html {
  const isOpen = flags.length > 0 || run.verdict === "quarantined";
  const canFlag = run.mode === "ranked" && run.verdict === "passed";
  if (!isOpen && !canFlag) {
    return html`<h2 id="decide">Decide</h2>
      <p class="empty">Nothing to decide: this run has no open flags and is on no leaderboard.</p>`;
  }
  return html`<h2 id="decide">Decide</h2>
    <form method="post" action="/moderation/runs/${run.id}/act" class="stack">
      ${hiddenFields({ ...query })}
      <label for="reason">Reason, shown to the owner</label>
      <textarea id="reason" name="reason" rows="4" required maxlength="${MAX_REASON_LENGTH}" data-key="d">
${reason}</textarea>
      <div class="buttons">
        ${
          isOpen
            ? html`<button name="act" value="accept">Accept</button>
                <button name="act" value="reject" class="danger">Reject</button>`
            : null
        }
        ${canFlag ? html`<button name="act" value="flag" class="quiet">Hide from the leaderboard until decided</button>` : null}
      </div>
      <small class="needs-script"
        >Keys: <kbd>d</kbd> selects the reason field, <kbd>n</kbd> opens the next run in the queue.</small
      >
    </form>`;
}

/** Renders the actions on the run as a whole, the submission and the account, each folded. */
export function otherActions({ inspection: { run }, submission, history, query }: InspectionPage): Html {
  const at = `/moderation/runs/${run.id}/act`;
  const ranks = run.mode === "ranked" && (run.verdict === "passed" || run.verdict === "quarantined");
  return html`<h2>More actions</h2>
    ${
      ranks
        ? html`<details>
            <summary>Re-run with fresh seeds</summary>
            <form method="post" action="${at}" class="stack">
              ${hiddenFields({ ...query })}
              <p>
                Runs the same file on inputs from another secret seed. If it passes, the entry is ranked by the runtime
                of the re-run.
              </p>
              <div><button name="act" value="rerun" class="quiet">Re-run</button></div>
            </form>
          </details>`
        : null
    }
    ${
      submission.removed === null
        ? reasonForm(at, query, "remove", {
            summary: "Remove the submission",
            effect:
              "The submission is removed from all leaderboards and stays visible only to its owner and moderators.",
            button: "Remove",
          })
        : reasonForm(at, query, "restore", {
            summary: "Restore the submission",
            effect: "The submission returns to its leaderboards and is visible again.",
            button: "Restore",
          })
    }
    ${
      history.ban === null
        ? reasonForm(at, query, "ban", {
            summary: `Ban ${history.account.name}`,
            effect: "The account can only read and appeal, and its results are removed from all leaderboards.",
            button: "Ban",
          })
        : reasonForm(at, query, "unban", {
            summary: `Unban ${history.account.name}`,
            effect: "The account can act again, and its results return to the leaderboards.",
            button: "Unban",
          })
    }`;
}

/** Renders a folded form that requires a reason. Destructive actions have a `danger` button. */
function reasonForm(
  action: string,
  query: QueueQuery,
  act: "remove" | "restore" | "ban" | "unban",
  labels: { summary: string; effect: string; button: string },
): Html {
  const isDestructive = act === "remove" || act === "ban";
  return html`<details>
    <summary>${labels.summary}</summary>
    <form method="post" action="${action}" class="stack">
      ${hiddenFields({ ...query })}
      <p>${labels.effect}</p>
      <label for="${act}-reason">Reason, shown to the owner</label>
      <textarea id="${act}-reason" name="reason" rows="3" required maxlength="${MAX_REASON_LENGTH}"></textarea>
      <div>
        <button name="act" value="${act}" class="${isDestructive ? "danger" : "quiet"}">${labels.button}</button>
      </div>
    </form>
  </details>`;
}
