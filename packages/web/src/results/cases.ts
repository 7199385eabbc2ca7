/**
 * Cases of a stage: failed cases first and unfolded, timed cases as a table, cases that were only checked as one line.
 */
import {
  caseLine,
  formatSpeedOfLightBound,
  formatNs,
  formatShare,
  formatOracleMismatch,
  fractionOfSpeedOfLight,
  type StageResult,
} from "@kernelbot/core";
import { failures, others } from "./checked-cases.ts";
import { html, type Html } from "../html.ts";
import { NONE, speedup, timing } from "./timing.ts";
import { count } from "../layout/format.ts";

type CaseResult = StageResult["cases"][number];

/** Renders the cases of a stage. `key` keeps element IDs unique within the page. */
export function cases(stage: StageResult, key: string = stage.stage): Html {
  const timed = stage.cases.filter(({ score }) => score !== null);
  return html`${failures(stage, key)} ${timed.length === 0 ? others(stage, key) : timedTable(stage, timed)}`;
}

function timedTable({ stage, cases }: StageResult, timed: readonly CaseResult[]): Html {
  const beside = timed.some(({ score }) => score?.speedup != null);
  const floored = timed.some(({ floor }) => floor !== null);
  const passed = cases.filter(({ status }) => status === "passed").length;
  return html`<div class="scroll">
    <table class="cases">
      <caption>
        ${stage}: ${passed} of ${count(cases.length, "case", "cases")} passed
      </caption>
      <thead>
        <tr>
          <th scope="col">Case</th>
          <th scope="col" class="right">Time</th>
          ${
            beside
              ? html`<th scope="col" class="right">Reference</th>
                  <th scope="col" class="right">Speed-up</th>`
              : null
          }
          ${
            floored
              ? html`<th scope="col" class="right">
                  <abbr title="How much of the time is the least that the hardware needs: 100 % cannot be beaten"
                    >Of the hardware floor</abbr
                  >
                </th>`
              : null
          }
        </tr>
      </thead>
      <tbody>
        ${timed.map((result) => timedRow(result, beside, floored))}
      </tbody>
    </table>
    ${timed.map((result) => {
      const note = formatOracleMismatch(result);
      return note === null ? null : html`<p class="quiet">Case ${result.index + 1}: ${note}.</p>`;
    })}
  </div>`;
}

function timedRow({ case: values, score, floor }: CaseResult, beside: boolean, floored: boolean): Html | null {
  if (score === null) return null;
  return html`<tr>
    <th scope="row"><code>${caseLine(values)}</code></th>
    <td class="right">${timing(score.timeNs)}</td>
    ${
      beside
        ? html`<td class="right">${score.referenceNs === null ? NONE : timing(score.referenceNs)}</td>
            <td class="right">${speedup(score.speedup)}</td>`
        : null
    }
    ${floored ? html`<td class="right">${floorShare(score.timeNs.value, floor)}</td>` : null}
  </tr>`;
}

/** Renders the speed-of-light bound as a share of the time, with a tooltip on what determines the bound. */
function floorShare(timeNs: number, floor: CaseResult["floor"]): Html {
  if (floor === null) return NONE;
  return html`<span class="number" title="${formatNs(floor.ns)}: ${formatSpeedOfLightBound(floor)}"
    >${formatShare(fractionOfSpeedOfLight(timeNs, floor))}</span
  >`;
}
