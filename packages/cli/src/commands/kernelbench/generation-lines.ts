/** Progress and results of generating kernels with a model. */
import type { Generation } from "../../kernelbench/generate.ts";
import type { UsageTotals } from "../../kernelbench/generation-folder.ts";
import type { Style } from "../../output/style.ts";
import { formatCount, wrap } from "../../output/text.ts";
import { elapsed } from "../../render/format.ts";

/** Maximum number of names in a list. */
const SHOWN = 20;

/** Formats the progress: `37 of 250 answered, 2 min 05 s, 8 in flight, 2 without a kernel, 12,000 + 48,000 tokens`. */
export function generationLine(generation: Generation, totals: UsageTotals, ms: number): string {
  const { requested, before, asking, kernels, withoutCode, failed } = generation;
  return [
    `${before + kernels + withoutCode.length} of ${requested} answered, ${elapsed(ms)}`,
    `${asking} in flight`,
    ...(withoutCode.length > 0 ? [`${withoutCode.length} without a kernel`] : []),
    ...(failed.length > 0 ? [`${failed.length} failed`] : []),
    usageWords(totals),
  ].join(", ");
}

/** Formats the token counts: `12,000 + 48,000 tokens, cost 0.42`. */
function usageWords(totals: UsageTotals): string {
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens, withoutUsage, cost } = totals;
  if (promptTokens === null || completionTokens === null) return "tokens not reported";
  const tokens = `${number(promptTokens)} + ${number(completionTokens)} tokens`;
  const parts = [
    ...(cachedTokens ? [`${number(cachedTokens)} from a cache`] : []),
    ...(reasoningTokens ? [`${number(reasoningTokens)} of reasoning`] : []),
    ...(withoutUsage > 0 ? [`${formatCount(withoutUsage, "answer")} without usage`] : []),
  ];
  const of = parts.length === 0 ? "" : ` (${parts.join(", ")})`;
  return `${tokens}${of}${cost === null ? "" : `, cost ${cost.toFixed(cost < 1 ? 4 : 2)}`}`;
}

function number(value: number): string {
  return value.toLocaleString("en-US");
}

export function generationLines(
  generation: Generation,
  totals: UsageTotals,
  folder: string,
  page: { width: number; style: Style },
): string[] {
  const { requested, before, kernels, withoutCode, failed } = generation;
  const { style, width } = page;
  const again = before === 0 ? "" : `; ${before} already existed`;
  return [
    `${style.bold(formatCount(kernels, "kernel"))} of ${requested} requested${again}.`,
    `In ${folder}: ${formatCount(totals.kernels, "kernel")} from ${formatCount(totals.answers, "answer")}, ${usageWords(totals)}.`,
    ...named(`${formatCount(withoutCode.length, "answer")} without a kernel, saved as _answer.md:`, withoutCode, width),
    ...named(
      `${formatCount(failed.length, "request")} failed; to retry, run the same command again:`,
      failed.map(({ key, message }) => `${key}: ${message}`),
      width,
    ),
  ];
}

function named(title: string, names: readonly string[], width: number): string[] {
  if (names.length === 0) return [];
  const more = names.length > SHOWN ? [`  … and ${names.length - SHOWN} more`] : [];
  return ["", title, ...names.slice(0, SHOWN).flatMap((name) => wrap(`  ${name}`, width)), ...more];
}
