/** Page of an entry: a model's kernels for a suite, during and after evaluation. */
import { breadcrumb } from "../layout/breadcrumb.ts";
import { problemNotice } from "../layout/forms.ts";
import { html } from "../html.ts";
import { page } from "../layout/layout.ts";
import { runnerNotice } from "../queue/runner-notice.ts";
import { entryPath, modelsPath } from "./paths.ts";
import { baselineChoice, baselineQuery, baselineLabel, byBaseline } from "./figure-choice.ts";
import type { EntryPage } from "./entry-page-data.ts";
import { entryFigures, provenance } from "./entry-figures.ts";
import { entryActions, head, progress } from "./entry-header.ts";
import { curveOf, fastCurve } from "./fast-curve.ts";
import { filterQuery } from "./filter.ts";
import { figureDefinitions } from "./figure-definitions.ts";
import { kernels } from "./kernels.ts";
import { isEvaluated } from "./format.ts";

export function entryPage(data: EntryPage): Promise<string> {
  const { entry, suite, filter, baselines, visit, problem } = data;
  const { id, suite: name, target, metadata, score } = entry;
  const isLive = !isEvaluated(entry);
  const query = filterQuery(filter);
  return page({
    title: `${metadata.display_name} · ${name} on ${target}`,
    description: `${score.overall.correct.count} of ${score.overall.problems} problems of ${name} solved by ${metadata.display_name} on ${target}.`,
    visit,
    islands: ["chart", "live", "board"],
    body: html`<div id="entry">
      ${breadcrumb([
        ["KernelBench", "/kernelbench"],
        [`${name} on ${target}`, modelsPath({ suite: name, target }, byBaseline(score.baseline))],
      ])}
      ${head(entry)} ${problemNotice(problem)}
      <div id="live" data-live="${isLive ? data.updates : "no"}">
        ${entryActions(data)} ${progress(entry)}
        ${entry.progress.queued > 0 ? runnerNotice(target, data.runners, data.now) : null}
        ${baselineChoice(score.baseline, baselines, (baseline) =>
          entryPath(id, { ...query, ...baselineQuery(baseline) }),
        )}
        ${entryFigures(entry)} ${figureDefinitions()}
        ${fastCurve([curveOf(entry, suite, "official", data.stored)], baselineLabel(score.baseline))} ${kernels(data)}
        ${provenance(entry)}
      </div>
    </div>`,
  });
}
