/** Models of a suite on a target, best first. */
import type { KernelBenchEntrySummary, SuiteSummary } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { page } from "../layout/layout.ts";
import type { Visit } from "../layout/page-context.ts";
import { count } from "../layout/format.ts";
import { matrixPath, modelsPath, submitPath } from "./paths.ts";
import { baselineLabel, choices, linkChoice, ranked, type Choice } from "./figure-choice.ts";
import { fastCurve, type Curve } from "./fast-curve.ts";
import { figureDefinitions } from "./figure-definitions.ts";
import { modelTable } from "./model-table.ts";
import { noSuites } from "./suites.ts";
import { submitInstructions } from "./submit-instructions.ts";
import { isEvaluated } from "./format.ts";

export interface ModelsPage {
  suites: readonly SuiteSummary[];
  /** Suite and target that are shown; null if the server has no suite. */
  shown: { suite: SuiteSummary; target: string } | null;
  choice: Choice;
  /** IDs of the stored baselines that can be chosen. */
  baselines: readonly string[];
  entries: readonly KernelBenchEntrySummary[];
  /** Curves of the first entries. */
  curves: readonly Curve[];
  /** Path of the updates, used while an entry is unfinished. */
  updates: string;
  /** Base URL of this server, for the commands. */
  server: string;
  visit: Visit;
}

const ABOUT =
  "How many problems does a model write a correct kernel for, and how fast are these kernels? A suite consists of PyTorch models; an entry has a kernel for each of them, judged on the same machines as all other entries.";

export function modelsPage(data: ModelsPage): Promise<string> {
  const { shown, visit, server } = data;
  return page({
    title: shown === null ? "KernelBench" : `${shown.suite.name} on ${shown.target} · KernelBench`,
    description: ABOUT,
    visit,
    islands: ["chart", "live"],
    body: html`<div id="kernelbench">
      <h1>KernelBench</h1>
      <p class="lead">${ABOUT}</p>
      ${shown === null ? noSuites(visit) : models(data, shown)}
      ${submitInstructions(shown === null ? null : { suite: shown.suite.name, target: shown.target }, server)}
    </div>`,
  });
}

function models(data: ModelsPage, shown: NonNullable<ModelsPage["shown"]>): Html {
  const { suites, choice, baselines, entries } = data;
  const { suite, target } = shown;
  const on = { suite: suite.name, target };
  const rows = ranked(entries, choice.figures);
  return html`
    <div class="choose-figures">
      ${linkChoice(
        "Suite",
        suites.map(({ name, targets }) => ({
          label: name,
          path: modelsPath({ suite: name, target: targets.includes(target) ? target : (targets[0] ?? target) }, choice),
          isChosen: name === suite.name,
        })),
      )}
      ${linkChoice(
        "Target",
        suite.targets.map((each) => ({
          label: each,
          path: modelsPath({ ...on, target: each }, choice),
          isChosen: each === target,
        })),
      )}
      ${entries.length === 0 && choice.baseline.kind !== "stored" ? null : choices(choice, baselines, (to) => modelsPath(on, to))}
    </div>
    <p class="about-suite">
      ${count(suite.problemCount, "problem", "problems")} in
      ${suite.precision}${suite.profile === "smoke" ? ", with sizes reduced for CPUs" : ""}, version
      <code title="${suite.version}">${suite.version.slice(0, 12)}</code>.
      <a class="nowrap" href="${matrixPath(on, choice)}">Results by problem</a> ·
      <a class="nowrap" href="/kernelbench/suites#${suite.name}">About this suite</a>
    </p>
    ${
      entries.length === 0
        ? html`<p class="empty">
            ${choice.baseline.kind === "stored" ? "No entries were judged on the hardware of this baseline." : "No entries yet."}
            <a href="${submitPath(on)}">Submit the first one</a>, or use a terminal as described below.
          </p>`
        : html`<div id="models" data-live="${entries.every(isEvaluated) ? "no" : data.updates}">
            ${modelTable(rows, suite, choice)} ${figureDefinitions()}
            ${fastCurve(data.curves, baselineLabel(choice.baseline))}
          </div>`
    }
  `;
}
