/** Page of the suites and their problems. */
import { LEVELS, type Suite, type SuiteProblem } from "@kernelbot/core";
import { breadcrumb } from "../layout/breadcrumb.ts";
import { html, type Html } from "../html.ts";
import { page } from "../layout/layout.ts";
import type { Visit } from "../layout/page-context.ts";
import { count, moment } from "../layout/format.ts";
import { modelsPath, problemPath } from "./paths.ts";
import { formatKey, problemName } from "./format.ts";
import { fact } from "../layout/table.ts";

interface SuitesPage {
  suites: readonly Suite[];
  visit: Visit;
}

export function suitesPage({ suites, visit }: SuitesPage): Promise<string> {
  return page({
    title: "Suites · KernelBench",
    visit,
    description: "KernelBench suites: origin, targets and problems.",
    body: html`<div id="suites">
      ${breadcrumb([["KernelBench", "/kernelbench"]])}
      <h1>Suites</h1>
      ${suites.length === 0 ? noSuites(visit) : suites.map(section)}
    </div>`,
  });
}

/** Renders a notice in place of content that needs a suite. */
export function noSuites({ viewer }: Visit): Html {
  const isOrganiser = viewer?.roles.some((role) => role === "organiser" || role === "administrator") ?? false;
  return html`<div class="empty">
    <p>No suites yet. ${isOrganiser ? "Upload one" : "An organiser can upload one"} from a checkout of KernelBench:</p>
    <pre
      tabindex="0"
      aria-label="Commands"
    ><code>kernelbot kernelbench suite inspect CHECKOUT --target cpu --smoke --out suite.json
kernelbot kernelbench suite upload suite.json</code></pre>
  </div>`;
}

function section(suite: Suite): Html {
  const { name, version, profile, precision, origin, targets, createdAt, problems } = suite;
  const degenerate = problems.filter(({ inspection }) => inspection.degenerate !== null);
  return html`<section aria-labelledby="${name}">
    <h2 id="${name}">${name}</h2>
    <dl class="facts">
      ${fact(
        "Problems",
        LEVELS.map((level) => ({ level, of: problems.filter((problem) => problem.level === level).length }))
          .filter(({ of }) => of > 0)
          .map(({ level, of }, at) => `${at === 0 ? "" : ", "}level ${level}: ${of}`),
      )}
      ${fact("Profile", profile === "smoke" ? "smoke: sizes reduced for CPUs" : "full: original sizes")}
      ${fact("Precision", precision)}
      ${fact(
        "Targets",
        targets.map((target) => html`<a class="target" href="${modelsPath({ suite: name, target })}">${target}</a> `),
      )}
      ${fact("Origin", origin)}
      ${fact("Version", html`<code title="${version}">${version.slice(0, 12)}</code>, since ${moment(createdAt)}`)}
    </dl>
    ${
      degenerate.length === 0
        ? null
        : html`<p>
            ${count(degenerate.length, "degenerate problem is", "degenerate problems are")} excluded from the robust
            figures: ${degenerate.map((problem, at) => html`${at === 0 ? "" : ", "}${link(name, problem)}`)}.
          </p>`
    }
    <details id="problems-${name}">
      <summary>${count(problems.length, "problem", "problems")}</summary>
      ${LEVELS.map((level) => levelList(name, level, problems))}
    </details>
  </section>`;
}

function levelList(suite: string, level: number, all: readonly SuiteProblem[]): Html | null {
  const problems = all.filter((problem) => problem.level === level);
  if (problems.length === 0) return null;
  return html`<h3>Level ${level}</h3>
    <ul class="suite-problems">
      ${problems.map(
        (problem) =>
          html`<li>
            <a href="${problemPath(suite, problem)}"
              ><span class="number">${problem.problem}</span> ${problemName(problem.fileName)}</a
            >
            ${problem.inspection.degenerate === null ? null : html`<span class="badge care">degenerate</span>`}
            ${
              problem.inspection.failure === undefined
                ? null
                : html`<span class="badge care" title="${problem.inspection.failure}">not inspected</span>`
            }
          </li>`,
      )}
    </ul>`;
}

function link(suite: string, problem: SuiteProblem): Html {
  return html`<a class="nowrap" href="${problemPath(suite, problem)}">${formatKey(problem)}</a>`;
}
