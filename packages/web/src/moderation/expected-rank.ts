/** Rank that a run would have on its board, with the neighbouring rows. */
import { entrantName, formatRankingWords, type RankEstimate } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { result } from "../results/timing.ts";
import { count } from "../layout/format.ts";
import { right, table } from "../layout/table.ts";

export function expectedRank(found: RankEstimate | { why: string }, name: string): Html {
  return html`<section aria-labelledby="place">
    <h2 id="place">Expected rank</h2>
    ${"why" in found ? html`<p>Not ranked: ${found.why}.</p>` : rows(found, name)}
  </section>`;
}

function rows({ rank, entries, better, around }: RankEstimate, name: string): Html {
  return html`<p>
      ${
        better === null
          ? html`Rank <strong>${rank}</strong> of ${count(entries, "entry", "entries")}.`
          : html`It would have rank ${rank} of ${count(entries, "entry", "entries")}, but the leaderboard would not
            change: ${name} already has a better entry with ${formatRankingWords(better)}.`
      }
    </p>
    ${table({
      columns: [right("Rank"), "Entry", right("Result")],
      rows: around.map(
        ({ rank, result: shown, entry }) =>
          html`<tr ${entry === null ? html`class="own"` : null}>
            <td class="right number">${rank}</td>
            <th scope="row">
              ${
                entry === null
                  ? html`<strong>${name}</strong>, this run`
                  : html`<a href="/submissions/${entry.submissionId}">${entrantName(entry)}</a>`
              }
            </th>
            <td class="right">${result(shown)}</td>
          </tr>`,
      ),
    })}`;
}
