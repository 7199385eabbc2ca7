/** The cases of a stage: what was wrong, or how long they took. */
import {
  caseLine,
  floorWords,
  formatNs,
  formatShare,
  shareOfFloor,
  type Mismatch,
  type StageResult,
} from "@kernelbot/core";
import { html, type Html } from "./html.ts";
import { NONE, speedup, timing } from "./timing.ts";
import { count } from "./words.ts";

type CaseResult = StageResult["cases"][number];

/** Of the places where an output is wrong, how many a page shows; `kernelbot show` has all that were kept. */
const SHOWN_PLACES = 3;

/** A table of the cases under the stage's name. */
export function cases(stage: StageResult): Html {
  const timed = stage.cases.some((result) => result.score !== null);
  const floored = stage.cases.some((result) => result.floor !== null);
  const passed = stage.cases.filter((result) => result.status === "passed").length;
  return html`<div class="scroll">
    <table class="cases">
      <caption>
        ${stage.stage}: ${passed} of ${count(stage.cases.length, "case", "cases")} passed
      </caption>
      <thead>
        <tr>
          <th scope="col">Case</th>
          ${
            timed
              ? html`<th scope="col" class="right">Time</th>
                  <th scope="col" class="right">Reference</th>
                  <th scope="col" class="right">Speed-up</th>
                  ${floored ? html`<th scope="col" class="right">Of the hardware floor</th>` : null}`
              : html`<th scope="col">Result</th>`
          }
        </tr>
      </thead>
      <tbody>
        ${stage.cases.map((result) => (timed ? timedRow(result, floored) : checkedRow(result)))}
      </tbody>
    </table>
  </div>`;
}

function caseName(result: CaseResult): Html {
  return html`<th scope="row"><code>${caseLine(result.case)}</code></th>`;
}

function timedRow(result: CaseResult, floored: boolean): Html {
  if (result.score === null) {
    return html`<tr>
      ${caseName(result)}
      <td colspan="${floored ? 4 : 3}">${finding(result)}</td>
    </tr>`;
  }
  return html`<tr>
    ${caseName(result)}
    <td class="right">${timing(result.score.timeNs)}</td>
    <td class="right">${result.score.referenceNs === null ? NONE : timing(result.score.referenceNs)}</td>
    <td class="right">${speedup(result.score.speedup)}</td>
    ${floored ? html`<td class="right">${floorShare(result)}</td>` : null}
  </tr>`;
}

/** How much of the time the hardware floor is; on hovering, what makes the floor. */
function floorShare({ score, floor }: CaseResult): Html {
  if (score === null || floor === null) return NONE;
  return html`<span class="number" title="${formatNs(floor.ns)}: ${floorWords(floor)}"
    >${formatShare(shareOfFloor(score.timeNs.value, floor))}</span
  >`;
}

function checkedRow(result: CaseResult): Html {
  return html`<tr>
    ${caseName(result)}
    <td>${finding(result)}</td>
  </tr>`;
}

function finding(result: CaseResult): Html {
  switch (result.status) {
    case "passed":
      return html`<span class="good">passed</span>`;
    case "skipped":
      return html`<small>skipped</small>`;
    case "failed":
      return html`<span class="bad">failed</span> ${result.message === null ? null : html`<p>${result.message}</p>`}
        ${result.mismatch === null ? null : mismatch(result.mismatch, result.message === null)}`;
  }
}

/** How the output differs: in a sentence, unless the judge's message says it already, and by its first places. */
function mismatch(found: Mismatch, inWords: boolean): Html {
  // The judge's sentence names the first of them.
  const places = found.first.slice(inWords ? 0 : 1, SHOWN_PLACES);
  return html`${inWords ? html`<p>${mismatchSentence(found)}</p>` : null}
  ${places.length === 0 ? null : placeList(places)}`;
}

function placeList(places: Mismatch["first"]): Html {
  return html`<ul class="places">
    ${places.map(
      ({ index, got, expected }) =>
        html`<li><code>[${index.join(", ")}]</code> got <code>${got}</code>, expected <code>${expected}</code></li>`,
    )}
  </ul>`;
}

/** `12 of 4,097 elements differ, by 0.5 at most (relative: 0.1).` */
export function mismatchSentence(found: Mismatch): string {
  const part = `${found.differing.toLocaleString("en-US")} of ${count(found.total, "element", "elements")} differ`;
  const by = found.largestAbsolute === null ? "" : `, by ${magnitude(found.largestAbsolute)} at most`;
  const relative = found.largestRelative === null ? "" : ` (relative: ${magnitude(found.largestRelative)})`;
  return `${part}${by}${relative}.`;
}

function magnitude(error: number): string {
  return String(Number(error.toPrecision(3)));
}
