/** Table of models. On narrow screens, a row is a block of labelled figures. */
import type { KernelBenchEntrySummary, Fraction, SuiteSummary } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { personLink } from "../profile/page.ts";
import { NONE } from "../results/timing.ts";
import { entryPath } from "./paths.ts";
import { choiceQuery, figuresOf, type Choice, type ranked } from "./figure-choice.ts";
import { isEvaluated, isTimed, meanOf, share } from "./format.ts";

const COLUMNS = [
  ["Correct", "Problems with a correct kernel, of all problems"],
  ["Fast@1 (≥)", "Problems with a correct kernel that is at least as fast as the baseline, of all problems"],
  ["Fast@1.5 (≥)", "At least 1.5 times as fast"],
  ["Fast@2 (≥)", "At least twice as fast"],
  ["GeoMean of correct", "Geometric mean of the speedups of the correct kernels"],
  ["Compiled", "Problems with a kernel that was built and imported, of all problems"],
] as const;
/** Column without an official counterpart. */
const ROBUST_COLUMN = [
  "GeoMean of all",
  "Geometric mean over all problems: an unsolved problem counts as 1×, degenerate ones are excluded",
] as const;

/** Returns the columns for the chosen kind of figures. */
function columnsOf({ figures }: Choice): readonly (readonly [name: string, tooltip: string])[] {
  return figures === "robust" ? [...COLUMNS, ROBUST_COLUMN] : COLUMNS;
}

export function modelTable(rows: ReturnType<typeof ranked>, suite: SuiteSummary, choice: Choice): Html {
  return html`<div class="scroll">
    <table class="models">
      <caption class="visually-hidden">
        Models by correct rate, then Fast@1
      </caption>
      <thead>
        <tr>
          <th scope="col"><span class="visually-hidden">Rank</span></th>
          <th scope="col">Model</th>
          ${columnsOf(choice).map(([name, tooltip]) => html`<th scope="col" class="right" title="${tooltip}">${name}</th>`)}
          <th scope="col">Judged on</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map(({ entry, rank }) => row(entry, rank, suite, choice))}
      </tbody>
    </table>
  </div>`;
}

function row(entry: KernelBenchEntrySummary, rank: number | null, suite: SuiteSummary, choice: Choice): Html {
  const { id, metadata, account, score, suiteVersion, publishedAt, createdAt } = entry;
  const figures = figuresOf(score, choice.figures);
  const hasTimes = isTimed(figures);
  const fast = (p: number): Fraction | undefined => figures.fast.find((each) => each.p === p)?.atLeast;
  const cells = [
    share(figures.correct),
    ...[1, 1.5, 2].map((p) => {
      const found = fast(p);
      return found === undefined || !hasTimes ? NONE : share(found);
    }),
    meanOf(figures.geoMean, figures.geoMeanOf),
    share(figures.compiled),
    ...(choice.figures === "robust"
      ? [hasTimes ? meanOf(score.robust.geoMeanOfAll, score.robust.problems) : NONE]
      : []),
  ];
  const about = [metadata.organization, metadata.backend].filter((part) => part !== undefined && part !== "");
  return html`<tr id="model-${id}">
    <td class="rank number">${rank ?? "–"}</td>
    <th scope="row">
      <a href="${entryPath(id, choiceQuery(choice))}">${metadata.display_name}</a>
      ${publishedAt === null ? html`<span class="badge care">draft</span>` : null}
      ${hasTimes ? null : html`<span class="badge">not timed against this baseline</span>`}
      ${isEvaluated(entry) ? null : html`<span class="badge">in progress</span>`}
      ${suiteVersion === suite.version ? null : html`<span class="badge care">older suite version</span>`}
      <small class="block">${about.map((part) => `${part} · `)}by ${personLink(account)}</small>
    </th>
    ${cells.map((cell, at) => html`<td class="right" data-name="${columnsOf(choice)[at]?.[0]}">${cell}</td>`)}
    <td class="target-cell">
      <small
        >${score.hardware.length === 0 ? "none yet" : score.hardware.join(", ")}
        <time class="block nowrap" datetime="${createdAt}">${createdAt.slice(0, 10)}</time></small
      >
    </td>
  </tr>`;
}
