/**
 * Folder of generated kernels:
 *
 *     level1/level_1_problem_19_sample_0_kernel.py   a kernel
 *     level1/level_1_problem_19_sample_0_reasoning.md   reasoning before the kernel, if the endpoint returns it
 *     level1/level_1_problem_20_sample_0_answer.md   an answer without a kernel, or a refusal, unchanged
 *     usage.json                                     model, settings, and the tokens of each answer
 */
import { access } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { Backend, kernelKeyText, Precision, type KernelKey } from "@kernelbot/core";
import { z } from "zod";
import { UsageError } from "../command/exit.ts";
import type { Completion } from "./completion.ts";
import { parsedJson, readBounded, writeWhole } from "./files.ts";

const MAX_USAGE_BYTES = 32_000_000;

/** Settings that determine an answer apart from the problem. All kernels of a folder share them. */
const GenerationSettings = z.object({
  model: z.string(),
  backend: Backend,
  precision: Precision,
  /** SHA-256, in hexadecimal, of the prompt without the problem: template, system prompt, examples and hardware. */
  prompt: z.string(),
  /** Parameters sent with each request: temperature, max_tokens and others. */
  parameters: z.record(z.string(), z.unknown()),
});
export type GenerationSettings = z.infer<typeof GenerationSettings>;

/** Token count; null when the endpoint did not report it. */
const Tokens = z.number().int().nullable().default(null);

const AnswerUsage = z.object({
  hasKernel: z.boolean(),
  /** Whether the model or a filter refused to answer. */
  refused: z.boolean().default(false),
  promptTokens: Tokens,
  cachedTokens: Tokens,
  completionTokens: Tokens,
  reasoningTokens: Tokens,
  seconds: z.number(),
});
type AnswerUsage = z.infer<typeof AnswerUsage>;

export const UsageTotals = z.object({
  answers: z.number().int(),
  kernels: z.number().int(),
  refusals: z.number().int().default(0),
  /** Sums of the reported counts; null when no answer reports one. */
  promptTokens: Tokens,
  cachedTokens: Tokens,
  completionTokens: Tokens,
  reasoningTokens: Tokens,
  /** Number of answers without token counts for prompt or answer, whose cost is unknown. */
  withoutUsage: z.number().int().default(0),
  /** Cost in the currency of the prices; null without prices, or when an answer has no token counts. */
  cost: z.number().nullable(),
});
export type UsageTotals = z.infer<typeof UsageTotals>;

const Usage = z.object({
  endpoint: z.string(),
  requested: GenerationSettings,
  totals: UsageTotals,
  answers: z.record(z.string(), AnswerUsage),
});
type Usage = z.infer<typeof Usage>;

/** Prices per million tokens. */
export interface Prices {
  input: number;
  output: number;
  /** Price of prompt tokens that were read from a cache. */
  cached: number;
}

/** Sums the known values; null when none is known. */
function sum(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((total, value) => total + value, 0);
}

/** Returns the cost in millionths, so that sums are rounded once. */
function costOf({ promptTokens, cachedTokens, completionTokens }: AnswerUsage, prices: Prices): number | null {
  if (promptTokens === null || completionTokens === null) return null;
  const cached = Math.min(cachedTokens ?? 0, promptTokens);
  const { input, output } = prices;
  return (promptTokens - cached) * input + cached * prices.cached + completionTokens * output;
}

/**
 * Opens a folder of generated kernels. @throws UsageError when it has kernels of another model or of other settings.
 */
export async function openGenerationFolder(
  folder: string,
  settings: GenerationSettings,
  endpoint: string,
  prices: Prices | null,
) {
  const path = join(folder, "usage.json");
  const answers = await readAnswers(path, settings);
  let saving = Promise.resolve();
  let unsaved = false;

  function totals(): UsageTotals {
    const all = Object.values(answers);
    const withoutUsage = all.filter((each) => each.promptTokens === null || each.completionTokens === null).length;
    return {
      answers: all.length,
      kernels: all.filter((each) => each.hasKernel).length,
      refusals: all.filter((each) => each.refused).length,
      promptTokens: sum(all.map((each) => each.promptTokens)),
      cachedTokens: sum(all.map((each) => each.cachedTokens)),
      completionTokens: sum(all.map((each) => each.completionTokens)),
      reasoningTokens: sum(all.map((each) => each.reasoningTokens)),
      withoutUsage,
      cost: prices === null || withoutUsage > 0 ? null : (sum(all.map((each) => costOf(each, prices))) ?? 0) / 1e6,
    };
  }
  /** Saves usage.json, one write at a time; changes during a write are in the next one. */
  async function save(): Promise<void> {
    if (!unsaved) return;
    unsaved = false;
    const usage: Usage = { endpoint, requested: settings, totals: totals(), answers };
    await writeWhole(path, `${JSON.stringify(usage, null, 2)}\n`);
  }
  const base = (key: KernelKey) => join(folder, `level${key.level}`, kernelKeyText(key));

  return {
    totals,
    /** Whether an answer is saved already, with a kernel or without. */
    has: async (key: KernelKey) => (await exists(`${base(key)}_kernel.py`)) || (await exists(`${base(key)}_answer.md`)),
    /** Saves an answer: its kernel, or its whole text if it has none. */
    async keep(key: KernelKey, kernel: string | null, completion: Completion, seconds: number) {
      const { text, refusal, reasoning, usage } = completion;
      if (reasoning !== "") await writeWhole(`${base(key)}_reasoning.md`, reasoning);
      const answer = [text, ...(refusal === null ? [] : [`Refused: ${refusal}`])]
        .filter((part) => part !== "")
        .join("\n\n");
      await writeWhole(`${base(key)}_${kernel === null ? "answer.md" : "kernel.py"}`, kernel ?? answer);
      answers[kernelKeyText(key)] = { hasKernel: kernel !== null, refused: refusal !== null, ...usage, seconds };
      unsaved = true;
      saving = saving.then(save);
      await saving;
    },
  };
}
export type GenerationFolder = Awaited<ReturnType<typeof openGenerationFolder>>;

async function readAnswers(path: string, settings: GenerationSettings): Promise<Usage["answers"]> {
  if (!(await exists(path))) return {};
  const name = JSON.stringify(path);
  const usage = Usage.safeParse(parsedJson(await readBounded(path, MAX_USAGE_BYTES)));
  if (!usage.success) throw new UsageError(`${name} is damaged; delete it, or use another folder`);
  const before: Record<string, unknown> = usage.data.requested;
  const changed = Object.entries(settings).find(([key, value]) => !isDeepStrictEqual(before[key], value));
  if (changed === undefined) return usage.data.answers;
  const excerpt = (value: unknown) => JSON.stringify(value).slice(0, 100);
  const [key, value] = changed;
  throw new UsageError(
    `the existing kernels were generated with ${key} ${excerpt(before[key])}, not ${excerpt(value)} (${name}); use another folder`,
  );
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
