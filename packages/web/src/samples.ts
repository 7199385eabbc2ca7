/** What the samples of timed cases look like, folded away until somebody asks. */
import { formatNs, summarizeRounds, type StageResult, type Summary } from "@kernelbot/core";
import { html, type Html } from "./html.ts";

/** A table of all samples of a stage, or nothing where it was not timed. */
export function samples(stage: StageResult): Html | null {
  const rows = stage.cases.flatMap((result) => {
    const summaries = summarizeRounds(result.rounds);
    if (summaries === null) return [];
    const name = String(result.index + 1);
    return [row(name, "kernel", summaries.candidate), row(name, "reference", summaries.reference)];
  });
  if (rows.length === 0) return null;
  return html`<details>
    <summary>Samples</summary>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Case</th>
            <th scope="col"></th>
            ${["Samples", "Mean", "Median", "Standard deviation", "Standard error", "Best", "Worst"].map(
              (title) => html`<th scope="col" class="right">${title}</th>`,
            )}
            <th
              scope="col"
              class="right"
              title="More than three scaled median absolute deviations above the median. They are kept."
            >
              Outliers
            </th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>
  </details>`;
}

function row(name: string, who: string, summary: Summary): Html {
  const share = ((100 * summary.outliers) / summary.samples).toFixed(1);
  const cells = [
    String(summary.samples),
    formatNs(summary.mean),
    formatNs(summary.median),
    summary.standardDeviation === null ? "–" : formatNs(summary.standardDeviation),
    summary.standardError === null ? "–" : formatNs(summary.standardError),
    formatNs(summary.best),
    formatNs(summary.worst),
    summary.outliers === 0 ? "0" : `${summary.outliers} (${share} %)`,
  ];
  return html`<tr>
    <th scope="row">${name}</th>
    <td>${who}</td>
    ${cells.map((cell) => html`<td class="right"><span class="number">${cell}</span></td>`)}
  </tr>`;
}
