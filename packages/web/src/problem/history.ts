import type { ProblemDetail } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { moment } from "../layout/format.ts";

/** Renders the dates and changes of all versions; null if there is only one. */
export function history(versions: ProblemDetail["history"]): Html | null {
  if (versions.length < 2) return null;
  return html`<h2 id="versions">Versions</h2>
    <p>
      Each run keeps the problem version it was judged with. A change that affects judging starts a new leaderboard
      revision.
    </p>
    <div class="scroll" tabindex="0">
      <table>
        <thead>
          <tr>
            <th scope="col">Since</th>
            <th scope="col">Version</th>
            <th scope="col">Changes</th>
          </tr>
        </thead>
        <tbody>
          ${versions.map(
            ({ at, version, changes }) =>
              html`<tr>
                <td>${moment(at)}</td>
                <td><code title="${version}">${version.slice(0, 12)}</code></td>
                <td>${changeList(changes)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}

/** Renders a list of changes; null if it is empty. */
export function changeList(changes: ProblemDetail["history"][number]["changes"]): Html | null {
  if (changes.length === 0) return null;
  return html`<ul class="plain">
    ${changes.map(({ kind, words }) => html`<li>${kind}: ${words}</li>`)}
  </ul>`;
}
