/** Times of kernels and of their baselines, as the last columns of a table. */
import {
  formatNs,
  formatRatio,
  formatRatioRange,
  modelTimes,
  speedupBy,
  type BaselineChoice,
  type BaselineTime,
  type KernelResult,
} from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { NONE, timing } from "../results/timing.ts";

/** Baseline of the speedups. */
export interface Against {
  baseline: BaselineChoice;
  /** Times of the baseline, if it is a stored one. */
  stored: readonly BaselineTime[];
}

const BASELINE_LABELS = { eager: "Eager", compiled: "Compiled", stored: "Stored" } as const;

export function measuredHead({ baseline }: Against): Html {
  return html`<th scope="col" class="right">Runtime</th>
    <th scope="col" class="right">${BASELINE_LABELS[baseline.kind]}</th>
    <th scope="col" class="right">Speedup</th>`;
}

export function measuredCells({ baseline, stored }: Against): (result: KernelResult) => Html {
  const modelOf = modelTimes(baseline, stored);
  const speedupOf = speedupBy(baseline, stored);
  return (result) => {
    const [model, speedup] = [modelOf(result), speedupOf(result)];
    // Narrow screens omit cells that contain only dashes.
    const tone = result.timeNs === null && model === null ? " untimed" : null;
    const isFast = speedup !== null && speedup.value >= 1 && result.correct === true;
    return html`<td class="right${tone}" data-name="Runtime">
        ${result.timeNs === null ? NONE : timing(result.timeNs)}
      </td>
      <td class="right number${tone}" data-name="${BASELINE_LABELS[baseline.kind]}">
        ${model === null ? "–" : formatNs(model.value)}
      </td>
      <td class="right number${tone}" data-name="Speedup">
        ${
          speedup === null
            ? "–"
            : html`<span class="${isFast ? "good" : null}">${formatRatio(speedup.value)}</span>
                <small class="block" title="95 % confidence interval">${formatRatioRange(speedup)}</small>`
        }
      </td>`;
  };
}
