/** The kernels of an entry, each with how it came out. */
import {
  formatNs,
  formatRatio,
  kernelKeyText,
  suiteKeyText,
  type KernelResult,
  type SuiteProblem,
} from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { NONE, timing } from "../timing.ts";
import { count } from "../words.ts";
import { entryPath, problemPath } from "./address.ts";
import { choiceQuery } from "./choice.ts";
import type { EntryPage } from "./entry.ts";
import { ALL_KERNELS, filterForm, filterQuery, matchingKernels } from "./filter.ts";
import { keyWords, kernelStanding, problemName } from "./words.ts";

/** What a mark beside a result means. */
const MARKS = {
  degenerate: ["degenerate", "A right answer to this problem says nothing; the robust figures leave it out."],
  floor: ["below the floor", "It took less time than the hardware needs; the robust figures count it as unsolved."],
} as const;

export function kernels(data: EntryPage, speedups: ReadonlyMap<string, number>): Html {
  const { entry, suite, filter } = data;
  const problems = new Map(suite.problems.map((problem) => [suiteKeyText(problem), problem]));
  const problemOf = (result: KernelResult): SuiteProblem | undefined => problems.get(suiteKeyText(result));
  const nameOf = (result: KernelResult): string => {
    const problem = problemOf(result);
    return problem === undefined ? "" : problemName(problem.fileName);
  };
  const shown = matchingKernels(entry.results, filter, nameOf);
  const kept = choiceQuery({ figures: "official", baseline: entry.score.baseline });
  const all = count(entry.results.length, "kernel", "kernels");
  return html`<section aria-labelledby="kernels">
    <h2 id="kernels">Kernels</h2>
    ${filterForm(entryPath(entry.id), filter, kept)}
    <p role="status">
      ${
        Object.keys(filterQuery(filter)).length === 0
          ? all
          : html`${shown.length === 0 ? `None of ${all} is like that.` : `${shown.length.toLocaleString("en-US")} of ${all}.`}
              <a href="${entryPath(entry.id, { ...filterQuery(ALL_KERNELS), ...kept })}#kernels">Show all</a>`
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
                  <th scope="col">Came out</th>
                  <th scope="col" class="right">Time</th>
                  <th scope="col" class="right">Eager</th>
                  <th scope="col" class="right">Speed-up</th>
                </tr>
              </thead>
              <tbody>
                ${shown.map((result) => row(result, problemOf(result), entry, speedups.get(kernelKeyText(result)) ?? null))}
              </tbody>
            </table>
          </div>`
    }
  </section>`;
}

function row(
  result: KernelResult,
  problem: SuiteProblem | undefined,
  entry: EntryPage["entry"],
  speedup: number | null,
): Html {
  const { sample, submissionId, message, timeNs, eagerNs } = result;
  const { tone, words } = kernelStanding(result);
  const key = kernelKeyText(result);
  const isFast = speedup !== null && speedup >= 1 && result.correct === true;
  return html`<tr id="${key}">
    <th scope="row">
      <a href="${problemPath(entry.suite, result, { target: entry.target })}"
        ><span class="number">${keyWords(result)}</span>
        ${problem === undefined ? null : problemName(problem.fileName)}</a
      >
      ${sample === 0 ? null : html`<small>sample ${sample}</small>`}
    </th>
    <td class="came">
      ${submissionId === null ? html`<span class="${tone}">${words}</span>` : html`<a class="${tone}" href="/submissions/${submissionId}">${words}</a>`}
      ${marks(result, problem)} ${message === null ? null : html`<small class="block said">${message}</small>`}
    </td>
    <td class="right" data-name="Time">${timeNs === null ? NONE : timing(timeNs)}</td>
    <td class="right number" data-name="Eager">${eagerNs === null ? "–" : formatNs(eagerNs)}</td>
    <td class="right number${isFast ? " good" : null}" data-name="Speed-up">
      ${speedup === null ? "–" : formatRatio(speedup)}
    </td>
  </tr>`;
}

export function marks(result: KernelResult, problem?: SuiteProblem): Html {
  const found = [
    problem !== undefined && problem.inspection.degenerate !== null ? MARKS.degenerate : null,
    result.belowFloor ? MARKS.floor : null,
  ].filter((mark) => mark !== null);
  return html`${found.map(([words, meaning]) => html`<span class="mark" title="${meaning}">${words}</span> `)}`;
}

/** The problems that the entry has no kernel for. */
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
          html`<a href="${problemPath(entry.suite, problem, { target: entry.target })}">${keyWords(problem)}</a> `,
      )}
    </p>
  </details>`;
}
