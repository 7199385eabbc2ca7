/** Published data of KernelBench: results of one model on all 250 problems, and measured reference times. */
import { baselineTimes, suiteKeyText, type Level, type ScoredKernel, type ScoredProblem } from "@kernelbot/core";
import baseline from "./baseline_H100_PCIe_torch_compile.json" with { type: "json" };
import results from "./results_model_a_H100.json" with { type: "json" };

export const BASELINE_TIMES = baselineTimes(baseline).times;

export const PROBLEMS: ScoredProblem[] = BASELINE_TIMES.map(({ level, problem }) => ({
  level,
  problem,
  degenerate: null,
}));

const BASELINE_NS = new Map(BASELINE_TIMES.map((time) => [suiteKeyText(time), time.timeNs]));

/** Kernels of model a with the reference times of their problems. */
export const KERNELS_OF_MODEL_A: ScoredKernel[] = Object.entries(results).flatMap(([folder, outcomes]) =>
  Object.entries(outcomes)
    .filter(([, outcome]) => outcome !== "-")
    .map(([problem, outcome]) => {
      const key = { level: Number(folder.slice("level".length)) as Level, problem: Number(problem) };
      const isCorrect = typeof outcome === "number";
      return {
        ...key,
        sample: 0,
        compiled: outcome !== "c",
        correct: isCorrect,
        correctByOracle: isCorrect,
        timeNs: isCorrect ? Math.round(outcome * 1e6) : null,
        baselineNs: BASELINE_NS.get(suiteKeyText(key)) ?? null,
        belowSpeedOfLight: false,
      };
    }),
);
