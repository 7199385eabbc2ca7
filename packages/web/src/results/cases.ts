/**
 * Cases of a stage: failed cases first and unfolded, timed cases as a table, cases that were only checked as one line.
 */
import {
  caseLine,
  formatSpeedOfLightBound,
  formatNs,
  formatShare,
  formatOracleMismatch,
  formatSlowCalls,
  fractionOfSpeedOfLight,
  type StageResult,
} from "@kernelbot/core";
import { failures, others } from "./checked-cases.ts";
import { html, type Html } from "../html.ts";
import { NONE, speedup, timing } from "./timing.ts";
import { count } from "../layout/format.ts";

type CaseResult = StageResult["cases"][number];

/**
 * Renders the cases of a stage. `key` keeps element IDs unique within the page; failed cases before the one at `from` are
 * left out.
 */
export function cases(stage: StageResult, key: string = stage.stage, from = 0): Html {
  const timed = stage.cases.filter(({ score }) => score !== null);
  return html`${failures(stage, key, from)} ${timed.length === 0 ? others(stage, key) : timedTable(stage, timed)}`;
}

function timedTable({ stage, cases }: StageResult, timed: readonly CaseResult[]): Html {
  const hasReference = timed.some(({ score }) => score?.speedup != null);
  const hasBound = timed.some(({ speedOfLight }) => speedOfLight !== null);
  const passed = cases.filter(({ status }) => status === "passed").length;
  return html`<div class="scroll">
    <table class="cases">
      <caption>
        ${stage}: ${passed} of ${count(cases.length, "case", "cases")} passed
      </caption>
      <thead>
        <tr>
          <th scope="col">Case</th>
          <th scope="col" class="right">Runtime</th>
          ${
            hasReference
              ? html`<th scope="col" class="right">Reference</th>
                  <th scope="col" class="right">Speedup</th>`
              : null
          }
          ${
            hasBound
              ? html`<th scope="col" class="right">
                  <abbr
                    title="Speed-of-light bound divided by the runtime: 100 % is the fastest that the hardware allows"
                    >% of speed of light</abbr
                  >
                </th>`
              : null
          }
        </tr>
      </thead>
      <tbody>
        ${timed.map((result) => timedRow(result, hasReference, hasBound))}
      </tbody>
    </table>
    ${timed.map((result) =>
      [formatOracleMismatch(result), formatSlowCalls(result.score)].map((note) =>
        note === null ? null : html`<p class="quiet">Case ${result.index + 1}: ${note}.</p>`,
      ),
    )}
  </div>`;
}

function timedRow(
  { case: values, score, speedOfLight }: CaseResult,
  hasReference: boolean,
  hasBound: boolean,
): Html | null {
  if (score === null) return null;
  return html`<tr>
    <th scope="row"><code>${caseLine(values)}</code></th>
    <td class="right">${timing(score.timeNs)}</td>
    ${
      hasReference
        ? html`<td class="right">${score.referenceNs === null ? NONE : timing(score.referenceNs)}</td>
            <td class="right">${speedup(score.speedup)}</td>`
        : null
    }
    ${hasBound ? html`<td class="right">${speedOfLightShare(score.timeNs.value, speedOfLight)}</td>` : null}
  </tr>`;
}

/** Renders the speed-of-light bound as a share of the time, with a tooltip on what determines the bound. */
function speedOfLightShare(timeNs: number, speedOfLight: CaseResult["speedOfLight"]): Html {
  if (speedOfLight === null) return NONE;
  return html`<span class="number" title="${formatNs(speedOfLight.ns)}: ${formatSpeedOfLightBound(speedOfLight)}"
    >${formatShare(fractionOfSpeedOfLight(timeNs, speedOfLight))}</span
  >`;
}
