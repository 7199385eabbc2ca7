/** Kernels of an entry with their outcomes. */
import { kernelKeyText, suiteKeyText, type KernelResult, type SuiteProblem } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { count } from "../layout/format.ts";
import { entryPath, problemPath } from "./paths.ts";
import { baselineQuery } from "./figure-choice.ts";
import type { EntryPage } from "./entry-page-data.ts";
import { ALL_KERNELS, filterForm, filterQuery, matchingKernels } from "./filter.ts";
import { measuredCells, measuredHead } from "./time-columns.ts";
import { formatKey, kernelStatus, problemName } from "./format.ts";

/** Marks next to a result, each with its label and tooltip. */
const MARKS = {
  degenerate: ["degenerate", "Trivial outputs pass this problem, so the robust figures exclude it."],
  speedOfLight: [
    "below speed of light",
    "The runtime is below the speed-of-light bound; the robust figures count it as unsolved.",
  ],
} as const;

export function kernels(data: EntryPage): Html {
  const { entry, suite, filter } = data;
  const problems = new Map(suite.problems.map((problem) => [suiteKeyText(problem), problem]));
  const problemOf = (result: KernelResult): SuiteProblem | undefined => problems.get(suiteKeyText(result));
  const nameOf = (result: KernelResult): string => {
    const problem = problemOf(result);
    return problem === undefined ? "" : problemName(problem.fileName);
  };
  const shown = matchingKernels(entry.results, filter, nameOf);
  const otherQuery = baselineQuery(entry.score.baseline);
  const against = { baseline: entry.score.baseline, stored: data.stored };
  const measured = measuredCells(against);
  const all = count(entry.results.length, "kernel", "kernels");
  return html`<section aria-labelledby="kernels">
    <h2 id="kernels">Kernels</h2>
    ${filterForm(entryPath(entry.id), filter, otherQuery)}
    <p role="status">
      ${
        Object.keys(filterQuery(filter)).length === 0
          ? all
          : html`${shown.length === 0 ? `No matches among ${all}.` : `${shown.length.toLocaleString("en-US")} of ${all}.`}
              <a href="${entryPath(entry.id, { ...filterQuery(ALL_KERNELS), ...otherQuery })}#kernels">Show all</a>`
      }
    </p>
    ${missing(data)}
    ${
      shown.length === 0
        ? null
        : html`<div class="scroll">
            <table class="kernels">
              <thead>
                <tr>
                  <th scope="col">Problem</th>
                  <th scope="col">Status</th>
                  ${measuredHead(against)}
                </tr>
              </thead>
              <tbody>
                ${shown.map((result) => row(result, problemOf(result), entry, measured(result)))}
              </tbody>
            </table>
          </div>`
    }
  </section>`;
}

function row(result: KernelResult, problem: SuiteProblem | undefined, entry: EntryPage["entry"], measured: Html): Html {
  const { sample, submissionId, message } = result;
  const { tone, label } = kernelStatus(result);
  return html`<tr id="${kernelKeyText(result)}">
    <th scope="row">
      <a href="${problemPath(entry.suite, result, problemQuery(entry))}"
        ><span class="number">${formatKey(result)}</span>
        ${problem === undefined ? null : problemName(problem.fileName)}</a
      >
      ${sample === 0 ? null : html`<small>sample ${sample}</small>`}
    </th>
    <td class="result">
      ${submissionId === null ? html`<span class="${tone}">${label}</span>` : html`<a class="${tone}" href="/submissions/${submissionId}">${label}</a>`}
      ${marks(result, problem)}
      ${message === null ? null : html`<small class="block failure-message">${message}</small>`}
    </td>
    ${measured}
  </tr>`;
}

/** Returns the query parameters that show a problem's page with this entry's target and baseline. */
function problemQuery({ target, score }: EntryPage["entry"]): Record<string, string> {
  return { target, ...baselineQuery(score.baseline) };
}

export function marks(result: KernelResult, problem?: SuiteProblem): Html {
  const found = [
    problem !== undefined && problem.inspection.degenerate !== null ? MARKS.degenerate : null,
    result.belowSpeedOfLight ? MARKS.speedOfLight : null,
  ].filter((mark) => mark !== null);
  return html`${found.map(([label, tooltip]) => html`<span class="mark" title="${tooltip}">${label}</span> `)}`;
}

/** Renders the problems for which the entry has no kernel; null if there are none. */
function missing({ entry, suite }: EntryPage): Html | null {
  const has = new Set(entry.results.map(suiteKeyText));
  const without = suite.problems.filter((problem) => !has.has(suiteKeyText(problem)));
  if (without.length === 0) return null;
  return html`<details id="missing">
    <summary>
      ${count(without.length, "problem has", "problems have")} no kernel and
      ${without.length === 1 ? "counts" : "count"} as unsolved
    </summary>
    <p>
      ${without.map(
        (problem) =>
          html`<a href="${problemPath(entry.suite, problem, problemQuery(entry))}">${formatKey(problem)}</a> `,
      )}
    </p>
  </details>`;
}
