import { caseLine, formatSpread, type CaseRelation } from "@kernelbot/core";
import { html, type Html } from "./html.ts";
import { ratioChart } from "./ratio-chart.ts";
import { NONE, speedup, timing } from "./timing.ts";

/** The cases of two kernels A and B, and a chart of them. */
export function relationTable(cases: readonly CaseRelation[]): Html {
  return html`<div class="scroll">
      <table class="cases">
        <caption>
          By case: A above B, and how many times as fast as B A is
        </caption>
        <thead>
          <tr>
            <th scope="col">Case</th>
            <th scope="col" class="right">Times</th>
            <th scope="col" class="right">Speed-ups</th>
            <th scope="col" class="right">A over B</th>
          </tr>
        </thead>
        <tbody>
          ${cases.map(caseRow)}
        </tbody>
      </table>
    </div>
    ${ratioChart(cases)}`;
}

function caseRow({ case: values, a, b, ratio, faster }: CaseRelation): Html {
  return html`<tr>
    <th scope="row"><code>${caseLine(values)}</code></th>
    <td class="right">${a === null ? NONE : timing(a.timeNs)}<br />${b === null ? NONE : timing(b.timeNs)}</td>
    <td class="right">${speedup(a?.speedup ?? null)}<br />${speedup(b?.speedup ?? null)}</td>
    <td class="right">
      <span class="${faster === "a" ? "good" : faster === "b" ? "bad" : ""}">${speedup(ratio)}</span>
      ${ratio === null ? null : html`<small class="block">${formatSpread(ratio)}</small>`}
    </td>
  </tr>`;
}
