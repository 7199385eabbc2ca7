/** An entry: a model's kernels for a suite, while they are judged and after. */
import type { BaselineTime, Entry, Suite } from "@kernelbot/core";
import { problemNotice } from "../forms.ts";
import { html } from "../html.ts";
import { page } from "../layout.ts";
import type { Visit } from "../visit.ts";
import { entryPath, modelsPath } from "./address.ts";
import { baselineChoice, baselineQuery, baselineWords, byBaseline } from "./choice.ts";
import { entryFigures, provenance } from "./entry-figures.ts";
import { entryActs, head, progress } from "./entry-head.ts";
import { curveOf, fastCurve } from "./fast-curve.ts";
import { filterQuery, type KernelFilter } from "./filter.ts";
import { howToRead } from "./how.ts";
import { kernels } from "./kernels.ts";
import { isEvaluated } from "./words.ts";

export interface EntryPage {
  entry: Entry;
  /** In the version that the entry was made for. */
  suite: Suite;
  filter: KernelFilter;
  /** The ids of stored baselines that one can choose. */
  baselines: readonly string[];
  /** The times of the one by which the entry is scored, where it is a stored one. */
  stored: readonly BaselineTime[];
  /** What the one who looks may do. */
  acts: { stop: boolean; resume: boolean; publish: boolean };
  /** Where the entry's updates are told, from what the page shows on. */
  updates: string;
  /** Why what was asked for could not be done. */
  problem?: string | undefined;
  visit: Visit;
}

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
      <p class="path">
        <a href="/kernelbench">KernelBench</a> ›
        <a href="${modelsPath({ suite: name, target }, byBaseline(score.baseline))}">${name} on ${target}</a>
      </p>
      ${head(entry)} ${problemNotice(problem)}
      <div id="live" data-live="${isLive ? data.updates : "no"}">
        ${entryActs(data)} ${progress(entry)}
        ${baselineChoice(score.baseline, baselines, (baseline) =>
          entryPath(id, { ...query, ...baselineQuery(baseline) }),
        )}
        ${entryFigures(entry)} ${howToRead()}
        ${fastCurve([curveOf(entry, suite, "official", data.stored)], baselineWords(score.baseline))} ${kernels(data)}
        ${provenance(entry)}
      </div>
    </div>`,
  });
}
