/** Admin page of the similar submissions to an assignment. */
import { adminPage, html, right, type SignedVisit, table } from "@kernelbot/web/blocks";
import { GUIDE } from "./guide.ts";
import type { Competition } from "@kernelbot/core";
import type { SimilarPair } from "../messages.ts";

interface SimilarPairsPage {
  visit: SignedVisit;
  competition: Pick<Competition, "name" | "title">;
  problem: string;
  pairs: readonly SimilarPair[];
}

export function similarPairsPage({ visit, competition, problem, pairs }: SimilarPairsPage): Promise<string> {
  const { name, title } = competition;
  return adminPage({
    visit,
    guide: GUIDE,
    title: `Similar submissions to ${problem}`,
    above: [
      ["Competitions", "/admin/competitions"],
      [title, `/admin/competitions/${name}`],
      ["Course", `/admin/competitions/${name}/course`],
    ],
    body: html`<p>
        The graded submission of each student is compared with the submissions of all other accounts. Students who
        started from the same template are similar too: read both sources before you decide.
      </p>
      ${
        pairs.length === 0
          ? html`<p class="empty">No similar submissions.</p>`
          : table({
              className: "stacked-rows",
              columns: [right("Similarity"), "Earlier submission", "Later submission"],
              rows: pairs.map(
                ({ similarity, submissions }) =>
                  html`<tr>
                    <td class="right">${Math.round(similarity * 100)} %</td>
                    ${submissions.map(
                      (each) =>
                        html`<td>
                          <a href="/submissions/${each.submissionId}">${each.name ?? each.account.name}</a>
                          <small>${each.email ?? "not on the roster"}, submission ${each.submissionId}</small>
                        </td>`,
                    )}
                  </tr>`,
              ),
            })
      }`,
  });
}
