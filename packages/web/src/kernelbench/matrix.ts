/** Every model on every problem, as a table that scrolls in itself. */
import {
  LEVELS,
  speedupOf,
  suiteKeyText,
  type EntrySummary,
  type KernelResult,
  type Suite,
  type SuiteProblem,
} from "@kernelbot/core";
import { escaped, html, type Html } from "../html.ts";
import { raw } from "hono/html";
import { page } from "../layout.ts";
import type { Visit } from "../visit.ts";
import { count } from "../words.ts";
import { entryPath, matrixPath, modelsPath, problemPath, submitPath } from "./address.ts";
import {
  KERNEL_OUTCOMES,
  keyWords,
  OUTCOME_LETTERS,
  OUTCOME_WORDS,
  outcomeOf,
  outcomeTone,
  problemName,
} from "./words.ts";

export interface MatrixPage {
  suite: Suite;
  target: string;
  /** In the order of their columns. */
  entries: readonly EntrySummary[];
  /** What each entry made of each problem, sample 0 alone. */
  results: ReadonlyMap<number, readonly KernelResult[]>;
  visit: Visit;
}

export function matrixPage(data: MatrixPage): Promise<string> {
  const { suite, target, entries, visit } = data;
  return page({
    title: `${suite.name} on ${target}, model by problem`,
    description: `What each of ${count(entries.length, "model", "models")} made of each problem of ${suite.name} on ${target}.`,
    visit,
    body: html`<div id="matrix">
      <p class="path">
        <a href="/kernelbench">KernelBench</a> ›
        <a href="${modelsPath({ suite: suite.name, target })}">${suite.name} on ${target}</a>
      </p>
      <h1>Model by problem</h1>
      <p class="lead">
        ${count(entries.length, "model", "models")} on ${count(suite.problems.length, "problem", "problems")}: the
        speed-up over the eager model where a kernel is correct, and why not where it is not.
      </p>
      ${targets(suite, target)}
      ${
        entries.length === 0
          ? html`<p class="empty">
              No model is here yet. <a href="${submitPath({ suite: suite.name, target })}">Hand in the first one</a>.
            </p>`
          : html`${legend()} ${table(data)}`
      }
    </div>`,
  });
}

function targets({ name, targets }: Suite, target: string): Html | null {
  if (targets.length < 2) return null;
  return html`<nav aria-label="Targets">
    <ul class="tabs">
      ${targets.map(
        (each) =>
          html`<li>
            <a href="${matrixPath({ suite: name, target: each })}" ${each === target ? html`aria-current="page"` : null}
              >${each}</a
            >
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
          <strong class="${outcomeTone(outcome)}">${OUTCOME_LETTERS[outcome]}</strong> ${OUTCOME_WORDS[outcome]}
        </li>`,
    )}
    <li><strong>–</strong> no kernel</li>
  </ul>`;
}

function table({ suite, target, entries, results }: MatrixPage): Html {
  const by = entries.map(({ id }) => new Map((results.get(id) ?? []).map((result) => [suiteKeyText(result), result])));
  return html`<div class="matrix" role="region" aria-label="Models by problem" tabindex="0">
    <table>
      <thead>
        <tr>
          <th scope="col">Problem</th>
          ${entries.map(
            ({ id, metadata }) => html`<th scope="col"><a href="${entryPath(id)}">${metadata.display_name}</a></th>`,
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
              ${problems.map((problem) => raw(row(problem, suite.name, target, by)))}
            </tbody>`;
      })}
    </table>
  </div>`;
}

/** A string, since there are thousands of cells. */
function row(
  problem: SuiteProblem,
  suite: string,
  target: string,
  by: readonly ReadonlyMap<string, KernelResult>[],
): string {
  const key = suiteKeyText(problem);
  const path = escaped(problemPath(suite, problem, { target }));
  const degenerate = problem.inspection.degenerate === null ? "" : ' <span class="mark">degenerate</span>';
  const head = `<th scope="row"><a href="${path}"><span class="number">${keyWords(problem)}</span> ${escaped(problemName(problem.fileName))}</a>${degenerate}</th>`;
  return `<tr>${head}${by.map((results) => cell(results.get(key))).join("")}</tr>\n`;
}

function cell(result: KernelResult | undefined): string {
  if (result === undefined) return "<td>–</td>";
  const outcome = outcomeOf(result);
  const speedup =
    outcome === "correct" || outcome === "oracle" ? speedupOf(result.timeNs?.value ?? null, result.eagerNs) : null;
  const isSlow = outcome === "correct" && speedup !== null && speedup < 1;
  const tone = isSlow ? "" : ` class="${outcomeTone(outcome)}"`;
  return `<td${tone}>${OUTCOME_LETTERS[outcome]}${speedup === null ? "" : ` ${shortRatio(speedup)}×`}</td>`;
}

/** Two digits that count: there is little room. */
function shortRatio(ratio: number): string {
  return ratio >= 10 ? ratio.toFixed(0) : ratio.toPrecision(2);
}
