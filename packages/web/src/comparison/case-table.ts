import { caseLine, formatSpread, type CaseRelation } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { ratioChart } from "./ratio-chart.ts";
import { NONE, speedup, timing } from "../results/timing.ts";

/** Renders the cases of two kernels A and B as a table and a chart. */
export function relationTable(cases: readonly CaseRelation[]): Html {
  return html`<div class="scroll" tabindex="0">
      <table class="relations">
        <thead>
          <tr>
            <th scope="col">Case</th>
            <td></td>
            <th scope="col" class="right">Runtime</th>
            <th scope="col" class="right">Speedup</th>
            <th scope="col" class="right">A relative to B</th>
          </tr>
        </thead>
        ${cases.map(caseRows)}
      </table>
    </div>
    ${ratioChart(cases)}`;
}

function caseRows({ case: values, a, b, ratio, faster }: CaseRelation): Html {
  const timed = (side: string, score: CaseRelation["a"]): Html =>
    html`<td>${side}</td>
      <td class="right">${score === null ? NONE : timing(score.timeNs)}</td>
      <td class="right">${speedup(score?.speedup ?? null)}</td>`;
  return html`<tbody>
    <tr>
      <th scope="rowgroup" rowspan="2"><code>${caseLine(values)}</code></th>
      ${timed("A", a)}
      <td class="right" rowspan="2">
        <span class="${faster === "a" ? "good" : faster === "b" ? "bad" : ""}">${speedup(ratio)}</span>
        ${ratio === null ? null : html`<small class="block">${formatSpread(ratio)}</small>`}
      </td>
    </tr>
    <tr>
      ${timed("B", b)}
    </tr>
  </tbody>`;
}
