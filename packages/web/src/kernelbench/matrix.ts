/** Matrix of models by problem, as a table with its own scroll bars. */
import {
  kernelKeyText,
  LEVELS,
  speedupsOf,
  suiteKeyText,
  type KernelBenchEntrySummary,
  type KernelResult,
  type Suite,
  type SuiteProblem,
} from "@kernelbot/core";
import { raw } from "hono/html";
import { breadcrumb } from "../layout/breadcrumb.ts";
import { escaped, html, type Html } from "../html.ts";
import { page } from "../layout/layout.ts";
import type { Visit } from "../layout/page-context.ts";
import { count } from "../layout/format.ts";
import { entryPath, matrixPath, modelsPath, problemPath, submitPath } from "./paths.ts";
import { baselineChoice, baselineQuery, baselineLabel, byBaseline, untimed } from "./figure-choice.ts";
import type { Against } from "./time-columns.ts";
import {
  KERNEL_OUTCOMES,
  formatKey,
  OUTCOME_LETTERS,
  OUTCOME_LABELS,
  outcomeOf,
  outcomeTone,
  problemName,
} from "./format.ts";

interface MatrixPage extends Against {
  suite: Suite;
  target: string;
  /** Entries in the order of their columns. */
  entries: readonly KernelBenchEntrySummary[];
  /** Results by entry ID, only for sample 0. */
  results: ReadonlyMap<number, readonly KernelResult[]>;
  /** IDs of the stored baselines that can be chosen. */
  baselines: readonly string[];
  visit: Visit;
}

export function matrixPage(data: MatrixPage): Promise<string> {
  const { suite, target, entries, baseline, visit } = data;
  const on = { suite: suite.name, target };
  const speedups = new Map(
    Array.from(data.results, ([id, results]) => [id, speedupsOf(results, baseline, data.stored)] as const),
  );
  const isTimed = Array.from(speedups.values()).some(({ size }) => size > 0);
  return page({
    title: `${suite.name} on ${target}, results by problem`,
    description: `Results of ${count(entries.length, "model", "models")} on each problem of ${suite.name} on ${target}.`,
    visit,
    body: html`<div id="matrix">
      ${breadcrumb([
        ["KernelBench", "/kernelbench"],
        [`${suite.name} on ${target}`, modelsPath(on, byBaseline(baseline))],
      ])}
      <h1>Results by problem</h1>
      <p class="lead">
        ${count(entries.length, "model", "models")} on ${count(suite.problems.length, "problem", "problems")}: the
        speedup over ${baselineLabel(baseline)} of correct kernels, and the reason of each failure.
      </p>
      ${targets(data)}
      ${
        entries.length === 0
          ? html`<p class="empty">
              ${baseline.kind === "stored" ? "No entries were judged on the hardware of this baseline." : "No entries yet."}
              <a href="${submitPath(on)}">Submit the first one</a>.
            </p>`
          : html`${baselineChoice(baseline, data.baselines, (to) => matrixPath(on, byBaseline(to)))}
            ${isTimed ? null : untimed("No kernel here", baseline, matrixPath(on))} ${legend()} ${table(data, speedups)}`
      }
    </div>`,
  });
}

function targets({ suite: { name, targets }, target, baseline }: MatrixPage): Html | null {
  if (targets.length < 2) return null;
  const path = (each: string) => matrixPath({ suite: name, target: each }, byBaseline(baseline));
  return html`<nav aria-label="Targets">
    <ul class="tabs">
      ${targets.map(
        (each) =>
          html`<li>
            <a href="${path(each)}" ${each === target ? html`aria-current="page"` : null}>${each}</a>
          </li>`,
      )}
    </ul>
  </nav>`;
}

function legend(): Html {
  return html`<ul class="legend-of-letters">
    ${KERNEL_OUTCOMES.map(
      (outcome) =>
        html`<li>
          <strong class="${outcomeTone(outcome)}">${OUTCOME_LETTERS[outcome]}</strong> ${OUTCOME_LABELS[outcome]}
        </li>`,
    )}
    <li><strong>–</strong> no kernel</li>
  </ul>`;
}

/** Column of an entry: results by problem key, speedups by kernel key. */
interface Column {
  results: ReadonlyMap<string, KernelResult>;
  speedups: ReturnType<typeof speedupsOf>;
}

function table(
  { suite, target, entries, results, baseline }: MatrixPage,
  speedups: ReadonlyMap<number, Column["speedups"]>,
): Html {
  const query = baselineQuery(baseline);
  const columns = entries.map(({ id }): Column => ({
    results: new Map((results.get(id) ?? []).map((result) => [suiteKeyText(result), result])),
    speedups: speedups.get(id) ?? new Map(),
  }));
  return html`<div class="matrix" role="region" aria-label="Results by problem" tabindex="0">
    <table>
      <thead>
        <tr>
          <th scope="col">Problem</th>
          ${entries.map(
            ({ id, metadata }) =>
              html`<th scope="col"><a href="${entryPath(id, query)}">${metadata.display_name}</a></th>`,
          )}
        </tr>
      </thead>
      ${LEVELS.map((level) => {
        const problems = suite.problems.filter((problem) => problem.level === level);
        return problems.length === 0
          ? null
          : html`<tbody>
              <tr class="level">
                <th scope="rowgroup" colspan="${entries.length + 1}"><span>Level ${level}</span></th>
              </tr>
              ${problems.map((problem) => raw(row(problem, problemPath(suite.name, problem, { target, ...query }), columns)))}
            </tbody>`;
      })}
    </table>
  </div>`;
}

/** Renders a row as a string instead of `Html`, since the table has thousands of cells. */
function row(problem: SuiteProblem, path: string, columns: readonly Column[]): string {
  const key = suiteKeyText(problem);
  const degenerate = problem.inspection.degenerate === null ? "" : ' <span class="mark">degenerate</span>';
  const head = `<th scope="row"><a href="${escaped(path)}"><span class="number">${formatKey(problem)}</span> ${escaped(problemName(problem.fileName))}</a>${degenerate}</th>`;
  return `<tr>${head}${columns.map(({ results, speedups }) => cell(results.get(key), speedups)).join("")}</tr>\n`;
}

function cell(result: KernelResult | undefined, speedups: Column["speedups"]): string {
  if (result === undefined) return "<td>–</td>";
  const outcome = outcomeOf(result);
  const isCorrect = outcome === "correct" || outcome === "oracle";
  const speedup = isCorrect ? speedups.get(kernelKeyText(result))?.value : undefined;
  const isSlow = outcome === "correct" && speedup !== undefined && speedup < 1;
  const tone = isSlow ? "" : ` class="${outcomeTone(outcome)}"`;
  return `<td${tone}>${OUTCOME_LETTERS[outcome]}${speedup === undefined ? "" : ` ${shortRatio(speedup)}×`}</td>`;
}

/** Formats a ratio with two significant digits, since columns are narrow; from 10 on as a whole number. */
function shortRatio(ratio: number): string {
  return ratio >= 10 ? ratio.toFixed(0) : ratio.toPrecision(2);
}
