/** Analyses of one board, each as a table or a chart with download links. */
import {
  formatBest,
  formatNs,
  formatRatio,
  formatShare,
  type BoardRecord,
  type Cluster,
  type Contestant,
  type FailureCount,
  type TechniqueUse,
} from "@kernelbot/core";
import { chart } from "../chart/chart.ts";
import type { ChartPoint } from "../chart/data.ts";
import { html, type Html } from "../html.ts";
import { capital, count, moment } from "../layout/format.ts";
import { right, table } from "../layout/table.ts";

/** Maximum number of rows on the page; the files contain all of them. */
const MAX_SHOWN = 25;

function section(id: string, title: string, about: string, body: Html, links: Html): Html {
  return html`<section aria-labelledby="${id}">
    <h3 id="${id}">${title}</h3>
    <p><small>${about}</small></p>
    ${body} ${links}
  </section>`;
}

export function contestantTable(
  contestants: readonly Contestant[],
  pathOf: (userId: string) => string,
  links: Html,
): Html {
  if (contestants.length === 0)
    return html`<p class="empty">No participant has a runtime on this leaderboard in the published data.</p>`;
  const rows = contestants.slice(0, MAX_SHOWN).map(
    ({ place, userId, userName, scoreNs, speedup, rankedBy, submissions, submittedAt }) =>
      html`<tr>
        <td class="right number">${place}</td>
        <th scope="row"><a href="${pathOf(userId)}">${userName}</a></th>
        <td class="right number">${formatBest(scoreNs, rankedBy)}</td>
        <td class="right number">${speedup === null ? "" : formatRatio(speedup)}</td>
        <td class="right number">${submissions.toLocaleString("en-US")}</td>
        <td>${moment(submittedAt)}</td>
      </tr>`,
  );
  const columns = [right("Rank"), "Author", right("Best result"), right("Speedup"), right("Submissions"), "Submitted"];
  const more = contestants.length - MAX_SHOWN;
  const about = `The best ranked run of each author${more > 0 ? `; ${more.toLocaleString("en-US")} more are in the files` : ""}.`;
  return section("contestants", "Top participants", about, table({ label: "Top participants", columns, rows }), links);
}

export function recordChart(records: readonly BoardRecord[], links: Html): Html | null {
  const [first, last] = [records[0], records.at(-1)];
  if (first === undefined || last === undefined) return null;
  const about = "Each run that was faster than all before it.";
  if (records.length === 1) {
    const only = html`<p>
      ${formatNs(first.scoreNs)} by ${first.userName} on ${moment(first.submittedAt)}, the only record.
    </p>`;
    return section("records", "Records over time", about, only, links);
  }
  const drawn = chart(
    {
      title: "Record",
      summary: `From ${formatNs(first.scoreNs)} by ${first.userName} to ${formatNs(last.scoreNs)} by ${last.userName}, ${count(records.length, "record", "records")}.`,
      xs: "time",
      unit: "ns",
      series: [
        {
          label: "Record",
          kind: "step",
          tone: "record",
          points: records.map((each): ChartPoint => [Date.parse(each.submittedAt), each.scoreNs, each.userName]),
        },
      ],
    },
    "record-chart",
  );
  return section("records", "Records over time", about, html`${drawn}`, links);
}

/** Renders a share as a bar. */
function bar(share: number): Html {
  const width = Math.max(0, Math.min(100, Math.round(share * 100)));
  return html`<svg class="share-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
    <rect class="track" width="100" height="8"></rect>
    <rect width="${width}" height="8"></rect>
  </svg>`;
}

export function failureTable(failures: readonly FailureCount[], links: Html): Html {
  const about = "Failed runs by class, as a share of all judged runs of the same mode.";
  if (failures.length === 0) {
    return section(
      "failures",
      "Failures",
      about,
      html`<p class="empty">No failed runs on this leaderboard.</p>`,
      links,
    );
  }
  const rows = failures.map(
    ({ mode, failureClass, runs, share }) =>
      html`<tr>
        <th scope="row">${capital(failureClass.replaceAll("_", " "))}</th>
        <td>${mode}</td>
        <td class="right number">${runs.toLocaleString("en-US")}</td>
        <td class="right number">${formatShare(share)}</td>
        <td>${bar(share)}</td>
      </tr>`,
  );
  const columns = ["Class", "Mode", right("Runs"), right("Share"), ""];
  return section("failures", "Failures", about, table({ label: "Failures", columns, rows }), links);
}

export function techniqueTable(techniques: readonly TechniqueUse[], links: Html): Html {
  const about =
    "Detected by keywords in the best kernel of each author. A technique that fast kernels use is not necessarily the reason for their speed.";
  if (techniques.length === 0) {
    const none = html`<p class="empty">No technique was detected in the kernels of this leaderboard.</p>`;
    return section("techniques", "Techniques", about, none, links);
  }
  const rows = techniques.map(
    ({ technique, users, share, shareOfFastest, medianNs, medianWithoutNs, medianRankedBy, medianWithoutRankedBy }) =>
      html`<tr>
        <th scope="row">${technique}</th>
        <td class="right number">${shareOfFastest === 0 ? "none" : formatShare(shareOfFastest)}</td>
        <td class="right number">${formatShare(share)}</td>
        <td class="right number">${users.toLocaleString("en-US")}</td>
        <td class="right number">${formatBest(medianNs, medianRankedBy)}</td>
        <td class="right number">
          ${medianWithoutNs === null ? "" : formatBest(medianWithoutNs, medianWithoutRankedBy)}
        </td>
      </tr>`,
  );
  const columns = [
    "Technique",
    right("Share of the fastest 10 %"),
    right("Share of all"),
    right("Authors"),
    right("Median with"),
    right("Median without"),
  ];
  return section("techniques", "Techniques", about, table({ label: "Techniques", columns, rows }), links);
}

export function clusterTable(clusters: readonly Cluster[], links: Html): Html {
  const about =
    "Kernels that share at least 80 % of their text, ignoring names and layout. Similarity alone is not misconduct: many kernels begin from the same starter.";
  if (clusters.length === 0) {
    const none = html`<p class="empty">No near duplicates on this leaderboard.</p>`;
    return section("clusters", "Near duplicates", about, none, links);
  }
  const rows = clusters.slice(0, MAX_SHOWN).map(
    ({ submissionId, size, users, bestNs, bestRankedBy, similarity }) =>
      html`<tr>
        <th scope="row">${nameList(users)} <small class="block">first: submission ${submissionId}</small></th>
        <td class="right number">${size.toLocaleString("en-US")}</td>
        <td class="right number">${bestNs === null ? "" : formatBest(bestNs, bestRankedBy)}</td>
        <td class="right number">${formatShare(similarity)}</td>
      </tr>`,
  );
  const columns = ["Authors", right("Kernels"), right("Best result"), right("Minimum similarity")];
  return section("clusters", "Near duplicates", about, table({ label: "Near duplicates", columns, rows }), links);
}

const MAX_NAMES = 6;

function nameList(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  return `${names.slice(0, MAX_NAMES).join(", ")}${more > 0 ? ` and ${more.toLocaleString("en-US")} more` : ""}`;
}
