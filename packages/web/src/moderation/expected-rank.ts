/** Rank that a run would have on its board, with the neighbouring rows. */
import { entrantName, formatNs, type RankEstimate } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { timing } from "../results/timing.ts";
import { count } from "../layout/format.ts";

export function prospect(found: RankEstimate | { why: string }, name: string): Html {
  return html`<section aria-labelledby="place">
    <h2 id="place">Where it would stand</h2>
    ${"why" in found ? html`<p>On no board: ${found.why}.</p>` : rows(found, name)}
  </section>`;
}

function rows({ rank, entries, betterNs, around }: RankEstimate, name: string): Html {
  return html`<p>
      ${
        betterNs === null
          ? html`On rank <strong>${rank}</strong> of ${count(entries, "entry", "entries")}.`
          : html`Its time has rank ${rank} of ${count(entries, "entry", "entries")}, but the board would not change:
            ${name} stands there by a better one, ${formatNs(betterNs)}.`
      }
    </p>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col" class="right">Rank</th>
            <th scope="col">Entry</th>
            <th scope="col" class="right">Time</th>
          </tr>
        </thead>
        <tbody>
          ${around.map(
            ({ rank, timeNs, entry }) =>
              html`<tr ${entry === null ? html`class="own"` : null}>
                <td class="right number">${rank}</td>
                <th scope="row">
                  ${
                    entry === null
                      ? html`<strong>${name}</strong>, this run`
                      : html`<a href="/submissions/${entry.submissionId}">${entrantName(entry)}</a>`
                  }
                </th>
                <td class="right">${timing(timeNs)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}
