/** Analyses of one board, each as a table or a chart with download links. */
import { formatBest, formatNs, formatShare, type BoardRecord, type TechniqueUse } from "@kernelbot/core";
import { chart } from "../chart/chart.ts";
import type { ChartPoint } from "../chart/data.ts";
import { html, type Html } from "../html.ts";
import { count, moment } from "../layout/format.ts";
import { right, table } from "../layout/table.ts";

function section(id: string, title: string, about: string, body: Html, links: Html): Html {
  return html`<section aria-labelledby="${id}">
    <h3 id="${id}">${title}</h3>
    <p><small>${about}</small></p>
    ${body} ${links}
  </section>`;
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
