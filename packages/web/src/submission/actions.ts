/** Actions on a submission: buttons that work without script, and links. */
import { html, type Html } from "../html.ts";
import { button } from "../layout/forms.ts";
import type { SubmissionPage } from "./page-data.ts";

/** Renders the actions; null if the viewer may take none. */
export function actions({ submission, acts, others, problem, typed }: SubmissionPage): Html | null {
  const { id, board } = submission;
  if (!Object.values(acts).some(Boolean)) return null;
  return html`<div class="actions" id="actions">
    ${acts.cancel ? html`<div id="cancel">${button(`/submissions/${id}/cancel`, "Cancel", {}, true)}</div>` : null}
    ${acts.again ? html`<a class="button quiet" id="again" href="/problems/${board}/submit?from=${id}">Submit again</a>` : null}
    ${
      acts.compare
        ? html`<details
            class="menu"
            id="compare"
            ${problem !== undefined && /^\d/.test(typed ?? "") ? html`open` : null}
          >
            <summary>Compare with …</summary>
            <div class="panel">
              ${
                others.length === 0
                  ? null
                  : html`<ul>
                      ${others.map(
                        (other) =>
                          html`<li>
                            <a href="/compare/${id}/${other.id}?target=${encodeURIComponent(other.target)}"
                              >${other.label}</a
                            >
                            <small>${other.id}</small>
                          </li>`,
                      )}
                    </ul>`
              }
              <form method="get" action="/submissions/${id}/compare" class="row">
                <label for="with">Another submission</label>
                <input
                  id="with"
                  name="with"
                  type="number"
                  min="1"
                  required
                  size="8"
                  value="${/^\d+$/.test(typed ?? "") ? typed : ""}"
                />
                <button class="quiet">Compare</button>
              </form>
            </div>
          </details>`
        : null
    }
    ${
      acts.remove
        ? html`<details class="menu" id="remove">
            <summary>Remove …</summary>
            <div class="panel">
              <p>
                The submission is removed from all leaderboards and stays visible only to you and the moderators. Its
                unfinished runs are cancelled. It still counts against your limits. Only a moderator can restore it.
              </p>
              <form method="post" action="/submissions/${id}/remove">
                <button class="danger">Remove submission ${id}</button>
              </form>
            </div>
          </details>`
        : null
    }
  </div>`;
}
