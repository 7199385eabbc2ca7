/** Figures of an entry, official and robust, overall and by level, and their provenance. */
import { FAST_P, type KernelBenchEntry, type KernelBenchFigures, type RobustKernelBenchFigures } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { NONE } from "../results/timing.ts";
import { count } from "../layout/format.ts";
import { entryPath } from "./paths.ts";
import { baselineLabel } from "./figure-choice.ts";
import { isTimed, meanOf, percent, share } from "./format.ts";
import { fact } from "../layout/table.ts";

interface FigureRow {
  name: string;

  official: (figures: KernelBenchFigures) => Html;
  robust: (figures: RobustKernelBenchFigures) => Html;
}

const same = (name: string, cell: (figures: KernelBenchFigures) => Html): FigureRow => ({
  name,
  official: cell,
  robust: cell,
});

/** Row of a share by both rules: at least p, and in small print more than p. */
const fast = (p: number): FigureRow =>
  same(`Fast@${p}`, (figures) => {
    const found = figures.fast.find((each) => each.p === p);
    if (found === undefined) return NONE;
    const { atLeast, above } = found;
    const isSame = atLeast.count === above.count;
    return html`<span class="number">${atLeast.count}/${atLeast.of}</span>
      <small class="block number">${isSame ? "≥, >" : "≥"} ${percent(atLeast)}</small>
      ${isSame ? null : html`<small class="block number">&gt; ${percent(above)}</small>`}`;
  });

const ROWS: readonly FigureRow[] = [
  same("Correct", ({ correct }) => share(correct)),
  ...FAST_P.filter((p) => p > 0).map(fast),
  same("GeoMean of correct", ({ geoMean, geoMeanOf }) => meanOf(geoMean, geoMeanOf)),
  {
    name: "GeoMean of all",
    official: () => NONE,
    robust: ({ geoMeanOfAll, problems }) => meanOf(geoMeanOfAll, problems),
  },
  same("Compiled", ({ compiled }) => share(compiled)),
  same("Submitted", ({ submitted, problems }) => share({ count: submitted, of: problems })),
];

export function entryFigures({ id, score }: KernelBenchEntry): Html {
  const levels = score.levels.map((official) => ({
    level: official.level,
    official,
    robust: score.robustLevels.find(({ level }) => level === official.level),
  }));
  const { overall, robust, passAtK } = score;
  return html`<section aria-labelledby="figures" id="entry-figures">
    <h2 id="figures">Figures</h2>
    <p class="quiet">
      Speedups over ${baselineLabel(score.baseline)}.
      ${robust.degenerate + robust.belowSpeedOfLight === 0 ? null : `The robust figures exclude ${excludedText(robust)}.`}
    </p>
    ${
      isTimed(overall)
        ? null
        : html`<p class="notice care">
            No correct kernel of this entry was timed against ${baselineLabel(score.baseline)}, so Fast@p and the means
            are not available. <a href="${entryPath(id)}">Use the eager model</a>, which is always timed.
          </p>`
    }
    <div class="figure-scroll" role="region" aria-label="Figures by level" tabindex="0">
      <table class="figure-table">
        <thead>
          <tr>
            <td></td>
            <th scope="colgroup" colspan="2">All levels</th>
            ${levels.map(({ level }) => html`<th scope="colgroup" colspan="2">Level ${level}</th>`)}
          </tr>
          <tr>
            <td></td>
            ${[null, ...levels].map(
              () =>
                html`<th scope="col" class="right">Official</th>
                  <th scope="col" class="right">Robust</th>`,
            )}
          </tr>
        </thead>
        <tbody>
          ${ROWS.map(
            (row) =>
              html`<tr>
                <th scope="row">${row.name}</th>
                ${cells(row, "All levels", overall, robust)}
                ${levels.map(({ level, official, robust }) => cells(row, `Level ${level}`, official, robust))}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${
      passAtK.length === 0
        ? null
        : html`<p>
            ${passAtK.map(
              ({ k, value, problems }, at) =>
                `${at === 0 ? "" : "; "}pass@${k} ${(value * 100).toFixed(1)} % over ${count(problems, "problem", "problems")}`,
            )}.
          </p>`
    }
  </section>`;
}

function cells(
  { official, robust }: FigureRow,
  level: string,
  figures: KernelBenchFigures,
  own: RobustKernelBenchFigures | undefined,
): Html {
  return html`<td class="right" data-level="${level}">${official(figures)}</td>
    <td class="right" data-level="robust">${own === undefined ? NONE : robust(own)}</td>`;
}

function excludedText({ degenerate, belowSpeedOfLight }: RobustKernelBenchFigures): string {
  return [
    degenerate === 0 ? null : count(degenerate, "degenerate problem", "degenerate problems"),
    belowSpeedOfLight === 0
      ? null
      : count(belowSpeedOfLight, "runtime below the speed-of-light bound", "runtimes below the speed-of-light bound"),
  ]
    .filter((part) => part !== null)
    .join(" and ");
}

/** Renders the inputs of the figures, from which they can be recomputed. */
export function provenance({ id, score, suite, target, compiledBaseline }: KernelBenchEntry): Html {
  return html`<section aria-labelledby="from">
    <h2 id="from">Provenance</h2>
    <dl class="facts">
      ${fact("Suite", html`<a href="/kernelbench/suites#${suite}">${suite}</a>, version <code title="${score.suiteVersion}">${score.suiteVersion.slice(0, 12)}</code>`)}
      ${fact("Target", html`<span class="target">${target}</span>`)} ${fact("Hardware", listed(score.hardware))}
      ${fact("Evaluators", listed(score.evaluators))}
      ${fact("Baseline", html`${baselineLabel(score.baseline)}${compiledBaseline ? "; the compiled model was also timed in each session" : null}`)}
      ${fact("Formula", score.formula)}
      ${fact("JSON", html`<a href="/api/v1/kernelbench/entries/${id}">this entry</a>`)}
    </dl>
  </section>`;
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? "none yet" : names.join(", ");
}
