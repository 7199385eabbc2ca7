import { casesFor, type Case, type CaseValue, type ProblemSpec } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { count } from "../layout/format.ts";

/** Renders the cases of all targets; lists that targets share are shown once. */
export function caseTables(spec: ProblemSpec): Html {
  return html`<div class="cases-of">
    ${groups(spec, (target) => casesFor(spec, target).tests).map(({ targets, cases }) =>
      table(html`${count(cases.length, "test", "tests")}${targets}, seeds included`, cases),
    )}
    ${groups(spec, (target) => casesFor(spec, target).benchmarks.map(withoutSeed)).map(({ targets, cases }) =>
      table(html`${count(cases.length, "benchmark", "benchmarks")}${targets}, timed with secret seeds`, cases),
    )}
  </div>`;
}

/** Returns the different lists of cases with their targets; `targets` is null if one list is for all. */
function groups(spec: ProblemSpec, casesOf: (target: string) => Case[]): { targets: Html | null; cases: Case[] }[] {
  const different = [...Map.groupBy(Object.keys(spec.targets), (target) => JSON.stringify(casesOf(target))).values()];
  return different.map((targets) => ({
    targets: different.length === 1 ? null : html` on ${targets.join(", ")}`,
    cases: casesOf(targets[0] ?? ""),
  }));
}

/** Drops the seed of a benchmark, which is replaced by a secret one. */
function withoutSeed({ seed: _, ...rest }: Case): Case {
  return rest;
}

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
