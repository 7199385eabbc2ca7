/** Results of runs, which an existing KernelBot stores as the lines that a harness reported: `benchmark.0.mean: 14900`. */
import type { Case, HarnessSummary, StageResult } from "@kernelbot/core";
import type { SourceRun } from "./source-rows.ts";

/** Stages by the modes of the source's runs. */
export const STAGES = { test: "test", benchmark: "benchmark", leaderboard: "ranked", profile: "profile" } as const;

type Stage = (typeof STAGES)[keyof typeof STAGES];

/** Stage of a run, with its cases. */
export interface AdoptedStage {
  stage: Stage;
  passed: boolean;
  durationNs: number;
  output: StageResult["output"];
  cases: AdoptedCase[];
}

interface AdoptedCase {
  index: number;
  parameters: Case;
  status: "passed" | "failed";
  message: string | null;
  summary: HarnessSummary | null;
}

/** Limits of what is stored of a result, which the submission may have written. */
const MAX_CASES = 200;
const MAX_MESSAGE = 2000;
const MAX_OUTPUT = 16_000;

/** Returns the stage of a public run; null for a mode without a stage. */
export function stageOf(run: SourceRun): AdoptedStage | null {
  const stage = Object.hasOwn(STAGES, run.mode) ? STAGES[run.mode as keyof typeof STAGES] : undefined;
  if (stage === undefined) return null;
  const durationNs = Math.max(0, run.end_time.getTime() - run.start_time.getTime()) * 1e6;
  return { stage, passed: run.passed, durationNs, output: outputOf(run), cases: casesOf(run.result ?? {}, stage) };
}

function outputOf({ stdout, stderr }: SourceRun): AdoptedStage["output"] {
  const text = [stdout, stderr].filter((part) => part !== null && part !== "").join("\n");
  return text === "" ? null : { head: text.slice(0, MAX_OUTPUT), tail: "", droppedBytes: 0 };
}

function casesOf(result: Record<string, unknown>, stage: Stage): AdoptedCase[] {
  const kind = stage === "test" ? "test" : "benchmark";
  const fields = new Map<number, Map<string, string>>();
  for (const [key, value] of Object.entries(result)) {
    const found = /^(test|benchmark)\.(\d{1,4})\.(\w{1,20})$/.exec(key);
    if (found?.[1] !== kind || (typeof value !== "string" && typeof value !== "number")) continue;
    const index = Number(found[2]);
    if (index >= MAX_CASES) continue;
    const own = fields.get(index) ?? new Map<string, string>();
    fields.set(index, own.set(found[3] ?? "", String(value)));
  }
  return [...fields].toSorted(([a], [b]) => a - b).map(([index, own]) => caseOf(index, own));
}

function caseOf(index: number, fields: ReadonlyMap<string, string>): AdoptedCase {
  const summary = summaryOf(fields);
  const message = fields.get("error") ?? fields.get("message") ?? null;
  const status = fields.get("status");
  const hasFailed = status === undefined ? summary === null : status !== "pass";
  return {
    index,
    parameters: parametersOf(fields.get("spec") ?? ""),
    status: hasFailed ? "failed" : "passed",
    message: message === null ? null : message.slice(0, MAX_MESSAGE),
    summary,
  };
}

/** Returns the times of a case in nanoseconds; null if it was not timed. */
function summaryOf(fields: ReadonlyMap<string, string>): HarnessSummary | null {
  const number = (name: string): number | null => {
    const value = Number(fields.get(name) ?? Number.NaN);
    return Number.isFinite(value) && value >= 0 ? value : null;
  };
  const meanNs = number("mean");
  if (meanNs === null || meanNs === 0) return null;
  const runs = number("runs");
  return {
    runs: runs !== null && Number.isSafeInteger(runs) && runs > 0 ? runs : null,
    meanNs,
    ...{ stdNs: number("std"), errNs: number("err"), bestNs: number("best"), worstNs: number("worst") },
  };
}

/** Parses `size: 127; seed: 4242`. Parts that are not valid parameters are left out. */
export function parametersOf(spec: string): Case {
  const parameters: Case = {};
  for (const part of spec.slice(0, MAX_MESSAGE).split(";")) {
    const [, name, value] = /^\s*([A-Za-z_][A-Za-z0-9_]*)\s*:\s*(.*?)\s*$/s.exec(part) ?? [];
    if (name === undefined || value === undefined || name === "__proto__") continue;
    const number = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value) ? Number(value) : Number.NaN;
    const isExact = Number.isSafeInteger(number) || (Number.isFinite(number) && !/^-?\d+$/.test(value));
    parameters[name] = isExact ? number : value;
  }
  return parameters;
}
