/** Page of a suite's problem: the PyTorch model, and the kernels of each entry. */
import {
  bestFirst,
  formatBytes,
  formatNs,
  modelTimes,
  type KernelBenchEntrySummary,
  type KernelResult,
  type Fraction,
  type SuiteInspection,
  type SuiteProblem,
  type SuiteSummary,
} from "@kernelbot/core";
import { breadcrumb } from "../layout/breadcrumb.ts";
import { codeBlock } from "../code/highlight.ts";
import { html, type Html } from "../html.ts";
import { page } from "../layout/layout.ts";
import type { Visit } from "../layout/page-context.ts";
import { count } from "../layout/format.ts";
import { entryPath, modelsPath, problemPath, submitPath } from "./paths.ts";
import { baselineChoice, baselineQuery, byBaseline, untimed } from "./figure-choice.ts";
import { marks } from "./kernels.ts";
import { measuredCells, measuredHead, type Against } from "./time-columns.ts";
import { kernelStatus, formatKey, problemName } from "./format.ts";
import { fact } from "../layout/table.ts";

interface SuiteProblemRow {
  entry: KernelBenchEntrySummary;
  /** The best of the entry's samples. */
  result: KernelResult;
  /** Number of correct samples, out of all samples of the entry. */
  samples: Fraction;
  /** Source of the kernel; null if the viewer may not read it or it is missing. */
  source: string | null;
}

interface SuiteProblemPage extends Against {
  suite: SuiteSummary;
  problem: SuiteProblem;
  /** Source of the model, from the KernelBench checkout. */
  source: string;
  /** Target on which the kernels were judged. */
  target: string;
  rows: readonly SuiteProblemRow[];
  /** IDs of the stored baselines that can be chosen. */
  baselines: readonly string[];
  visit: Visit;
}

/** Kernels longer than this many characters are shown only on the submission's page; a longer model is folded. */
const MAX_SHOWN = 20_000;

export async function suiteProblemPage(data: SuiteProblemPage): Promise<string> {
  const { suite, problem, source, target, rows, baseline, visit } = data;
  const sorted = bestFirst(rows, baseline, data.stored);
  const best = sorted.find(({ source }) => source !== null);
  const name = problemName(problem.fileName);
  return page({
    title: `${formatKey(problem)} ${name} · ${suite.name}`,
    description: `${name}, problem ${problem.problem} of level ${problem.level} of ${suite.name}: the reference model and all kernels.`,
    visit,
    body: html`<div id="suite-problem">
      ${breadcrumb([
        ["KernelBench", "/kernelbench"],
        [`${suite.name} on ${target}`, modelsPath({ suite: suite.name, target }, byBaseline(baseline))],
      ])}
      <h1><span class="number">${formatKey(problem)}</span> ${name} <span class="target">${target}</span></h1>
      ${targets(data)} ${facts(problem.inspection)}
      <p class="row">
        <a class="button quiet" href="/problems/${problem.board}">Problem definition</a>
      </p>
      <details id="reference" ${source.length <= MAX_SHOWN ? html`open` : null}>
        <summary>Reference model <small>${problem.fileName}</small></summary>
        ${await codeBlock(source, "python")}
      </details>
      <h2 id="kernels">Kernels</h2>
      ${
        sorted.length === 0
          ? html`<p class="empty">
              No kernels for this problem on ${target} yet.
              <a href="${submitPath({ suite: suite.name, target })}">Submit one</a>.
            </p>`
          : html`${table(data, sorted)} ${await Promise.all(sorted.map((row) => code(row, row === best)))}`
      }
    </div>`,
  });
}

function targets({ suite, problem, target, baseline }: SuiteProblemPage): Html | null {
  if (suite.targets.length < 2) return null;
  return html`<nav aria-label="Targets">
    <ul class="tabs">
      ${suite.targets.map(
        (each) =>
          html`<li>
            <a
              href="${problemPath(suite.name, problem, { target: each, ...baselineQuery(baseline) })}"
              ${each === target ? html`aria-current="page"` : null}
              >${each}</a
            >
          </li>`,
      )}
    </ul>
  </nav>`;
}

const DEGENERATE = {
  zeros: "An output of zeros passes as correct",
  independent: "The output does not depend on the input",
  identity: "An input, possibly plus a constant, passes as a correct output",
} as const;

function facts({
  degenerate,
  inputBytes,
  parameterBytes,
  outputBytes,
  outputs,
  isRandom,
  forwardS,
  shrunk,
  failure,
}: SuiteInspection): Html {
  const made = Object.entries(shrunk);
  return html`${
      degenerate === null
        ? null
        : html`<p class="notice care">
            ${DEGENERATE[degenerate]}, so a passing kernel is not meaningful and the robust figures exclude this
            problem.
          </p>`
    }
    ${failure === undefined ? null : html`<p class="notice care">The model did not run when the suite was inspected: ${failure}</p>`}
    <dl class="facts" aria-label="Facts">
      <dt>Input</dt>
      <dd class="number">${formatBytes(inputBytes)}</dd>
      <dt>Parameters</dt>
      <dd class="number">${formatBytes(parameterBytes)}</dd>
      <dt>Output</dt>
      <dd class="number">
        ${formatBytes(outputBytes)}${outputs === 1 ? null : ` in ${count(outputs, "tensor", "tensors")}`}
      </dd>
      ${fact("One call", html`<span class="number">${formatNs(forwardS * 1e9)}</span> <small>when the suite was inspected</small>`)}
      ${isRandom ? fact("Random", "draws random numbers on each call") : null}
      ${
        made.length === 0
          ? null
          : fact(
              "Reduced sizes",
              made.map(([name, [from, to]], at) => html`${at === 0 ? "" : ", "}<code>${name}</code> ${from} → ${to}`),
            )
      }
    </dl>`;
}

function table(data: SuiteProblemPage, rows: readonly SuiteProblemRow[]): Html {
  const { suite, problem, target, baseline, baselines } = data;
  const measured = measuredCells(data);
  const modelOf = modelTimes(baseline, data.stored);
  const path = (to: typeof baseline) => problemPath(suite.name, problem, { target, ...baselineQuery(to) });
  const timed = rows.filter(({ result }) => result.timeNs !== null);
  const isTimed = timed.length === 0 || timed.some(({ result }) => modelOf(result) !== null);
  return html`${baselineChoice(baseline, baselines, path)}
    ${isTimed ? null : untimed("No kernel here", baseline, path({ kind: "eager" }))}
    <div class="scroll">
      <table class="kernels">
        <thead>
          <tr>
            <th scope="col">Model</th>
            <th scope="col">Status</th>
            ${measuredHead(data)}
          </tr>
        </thead>
        <tbody>
          ${rows.map((row) => {
            const { entry, result } = row;
            const { tone, label } = kernelStatus(result);
            const { submissionId, message } = result;
            return html`<tr>
              <th scope="row">
                <a href="${entryPath(entry.id, baselineQuery(baseline))}">${entry.metadata.display_name}</a>
                ${sampleLabel(row)}
              </th>
              <td class="result">
                ${submissionId === null ? html`<span class="${tone}">${label}</span>` : html`<a class="${tone}" href="/submissions/${submissionId}">${label}</a>`}
                ${marks(result)}
                ${message === null ? null : html`<small class="block failure-message">${message}</small>`}
              </td>
              ${measured(result)}
            </tr>`;
          })}
        </tbody>
      </table>
    </div>`;
}

/** Renders which sample is shown; null if it is the only one and has number 0, which is the scored sample. */
function sampleLabel({ result: { sample }, samples: { count: correct, of } }: SuiteProblemRow): Html | null {
  if (of === 1) return sample === 0 ? null : html`<small class="block">sample ${sample}</small>`;
  return html`<small class="block">sample ${sample}, best of ${of} (${correct} correct)</small>`;
}

async function code(row: SuiteProblemRow, isBest: boolean): Promise<Html | null> {
  const { entry, result, source } = row;
  if (source === null) return null;
  const { label } = kernelStatus(result);
  return html`<details class="kernel-code" ${isBest ? html`open` : null}>
    <summary>${entry.metadata.display_name} <small>${label}</small></summary>
    ${
      source.length > MAX_SHOWN
        ? html`<p>Too long to show here (${formatBytes(source.length)}): see the page of the submission.</p>`
        : await codeBlock(source, "python")
    }
  </details>`;
}
