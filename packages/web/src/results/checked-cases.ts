/** Checked cases: failed cases first and in full, passed cases as one line. */
import { caseLine, formatOracleMismatch, type Mismatch, type StageResult } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { count } from "../layout/format.ts";
import { right, table } from "../layout/table.ts";

type CaseResult = StageResult["cases"][number];

/** Number of failed cases shown in full; the others are folded. */
const OPEN_CASES = 5;

/** Renders the first failed case of a stage, without its message if `shown` contains it; null if there is none. */
export function firstFailure({ cases }: StageResult, shown: string | null): Html | null {
  const first = cases.find(({ status }) => status === "failed");
  if (first === undefined) return null;
  const isShown = first.message !== null && shown?.includes(first.message) === true;
  return failure(isShown ? { ...first, message: null } : first);
}

/** Renders the failed cases of a stage from the one at `from`; null if there are none. */
export function failures(stage: StageResult, key: string, from = 0): Html | null {
  const failed = stage.cases.filter(({ status }) => status === "failed").slice(from);
  if (failed.length === 0) return null;
  const rest = failed.slice(OPEN_CASES);
  return html`<div class="failures" id="failures-${key}">
    ${failed.slice(0, OPEN_CASES).map(failure)}
    ${
      rest.length === 0
        ? null
        : html`<details id="more-${key}">
            <summary>${count(rest.length, "more case", "more cases")} failed</summary>
            ${rest.map(failure)}
          </details>`
    }
  </div>`;
}

/** Renders the other cases of a stage that only checks, as a folded line; null if there are none. */
export function others(stage: StageResult, key: string): Html | null {
  const { cases } = stage;
  const rest = cases.filter(({ status }) => status !== "failed");
  if (rest.length === 0) return null;
  const passed = rest.filter(({ status }) => status === "passed").length;
  return html`<details class="quiet-line" id="others-${key}">
    <summary>${stage.stage}: ${passed} of ${count(cases.length, "case", "cases")} passed</summary>
    <ul class="case-list">
      ${rest.map(
        (result) =>
          html`<li>
            <span class="number">${result.index + 1}</span> <code>${caseLine(result.case)}</code>
            <span class="${result.status === "passed" ? "good" : "quiet"}">${result.status}</span>
            ${formatOracleMismatch(result)}
          </li>`,
      )}
    </ul>
  </details>`;
}

/** Renders a failed case. The message is omitted where a mismatch table exists, which contains the same facts. */
function failure({ index, case: values, message, mismatch }: CaseResult): Html {
  return html`<section class="failure">
    <h3><span class="bad">Case ${index + 1} failed</span> <code>${caseLine(values)}</code></h3>
    ${mismatch !== null ? mismatchTable(mismatch) : message === null ? null : html`<p class="message">${message}</p>`}
  </section>`;
}

function mismatchTable(found: Mismatch): Html {
  if (found.first.length === 0) return html`<p>${mismatchSentence(found)}</p>`;
  const isWhole = found.first.length === found.differing;
  return table({
    className: "mismatch",
    caption: html`${mismatchSentence(found)}${isWhole ? "" : found.first.length === 1 ? " The first:" : ` The first ${found.first.length}:`}`,
    columns: ["Index", right("Got"), right("Expected"), right("Difference")],
    rows: found.first.map(
      ({ index, got, expected }) =>
        html`<tr>
          <th scope="row"><code>[${index.join(", ")}]</code></th>
          <td class="right bad"><code>${got}</code></td>
          <td class="right"><code>${expected}</code></td>
          <td class="right number">${difference(got, expected)}</td>
        </tr>`,
    ),
  });
}

/** Describes a mismatch: `12 of 4,097 elements differ, by 0.5 at most (relative: 0.1).` */
function mismatchSentence(found: Mismatch): string {
  const part = `${found.differing.toLocaleString("en-US")} of ${count(found.total, "element", "elements")} differ`;
  const by = found.largestAbsolute === null ? "" : `, by ${magnitude(found.largestAbsolute)} at most`;
  const relative = found.largestRelative === null ? "" : ` (relative: ${magnitude(found.largestRelative)})`;
  return `${part}${found.differing === 1 ? "s" : ""}${by}${relative}.`;
}

/** Formats a difference as `+0.125`; a dash if it is not a finite number. */
function difference(got: string, expected: string): string {
  const by = Number(got) - Number(expected);
  if (got.trim() === "" || expected.trim() === "" || !Number.isFinite(by)) return "–";
  return `${by > 0 ? "+" : by < 0 ? "−" : ""}${magnitude(Math.abs(by))}`;
}

function magnitude(error: number): string {
  return String(Number(error.toPrecision(3)));
}
