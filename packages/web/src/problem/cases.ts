import { casesFor, sortedTargets, weightsFor, type Case, type CaseValue, type ProblemSpec } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { count } from "../layout/format.ts";

/** Renders the cases of all targets; lists that targets share are shown once. */
export function caseTables(spec: ProblemSpec): Html {
  return html`<div class="cases-of">
    ${groups(spec, (target) => casesFor(spec, target).tests).map(({ targets, cases }) =>
      table(html`${count(cases.length, "test", "tests")}${targets}, seeds included`, cases),
    )}
    ${groups(spec, (target) => timedCases(spec, target)).map(({ targets, cases }) =>
      table(html`${count(cases.length, "benchmark", "benchmarks")}${targets}, timed with secret seeds`, cases),
    )}
  </div>`;
}

/** Returns the different lists of cases with their targets; `targets` is null if one list is for all. */
function groups(spec: ProblemSpec, casesOf: (target: string) => Case[]): { targets: Html | null; cases: Case[] }[] {
  const different = [...Map.groupBy(sortedTargets(spec), (target) => JSON.stringify(casesOf(target))).values()];
  return different.map((targets) => ({
    targets: different.length === 1 ? null : html` on ${targets.join(", ")}`,
    cases: casesOf(targets[0] ?? ""),
  }));
}

/** Returns the benchmarks of a target with their weights, without their seeds, which are replaced by secret ones. */
function timedCases(spec: ProblemSpec, target: string): Case[] {
  const weights = weightsFor(spec, target);
  return casesFor(spec, target).benchmarks.map(({ seed: _, ...rest }, at) => {
    const weight = weights?.[at];
    return weight === undefined ? rest : { ...rest, [WEIGHT]: weight };
  });
}

/** Heading of the weights. A parameter cannot have this name, because it is not an identifier. */
const WEIGHT = "(weight)";

/** Renders a row for each case and a column for each parameter. */
function table(caption: Html, cases: readonly Case[]): Html {
  const parameters = [...new Set(cases.flatMap((values) => Object.keys(values)))];
  const isNumber = (name: string) => cases.every((values) => typeof (values[name] ?? 0) === "number");
  const side = (name: string) => (isNumber(name) ? "right number" : "");
  return html`<div class="scroll" tabindex="0">
    <table class="parameters">
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          <th scope="col" class="right">Case</th>
          ${parameters.map((name) => html`<th scope="col" class="${side(name)}"><code>${name}</code></th>`)}
        </tr>
      </thead>
      <tbody>
        ${cases.map(
          (values, at) =>
            html`<tr>
              <th scope="row" class="right number">${at}</th>
              ${parameters.map((name) => html`<td class="${side(name)}">${formatValue(values[name])}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function formatValue(value: CaseValue | undefined): string {
  if (value === undefined) return "–";
  return typeof value === "string" ? value : JSON.stringify(value);
}
