/** Score of an entry. */
import { z } from "zod";
import { Level } from "./key.ts";

/** Speedups p at which Fast@p is reported. */
export const FAST_P = [0, 0.5, 0.8, 1, 1.5, 2] as const;

/** Count with its total. */
export const Fraction = z.object({ count: z.number().int(), of: z.number().int() });
export type Fraction = z.infer<typeof Fraction>;

/** Figures over the problems of a level, or over all problems. */
export const KernelBenchFigures = z.object({
  /** Number of problems, the total of every share. */
  problems: z.number().int(),
  /** Number of problems with a kernel. */
  submitted: z.number().int(),
  compiled: Fraction,
  correct: Fraction,
  /** Geometric mean of the speedups of the `geoMeanOf` correct and timed kernels; null if there are none. */
  geoMean: z.number().positive().nullable(),
  geoMeanOf: z.number().int(),
  /** Share of all problems whose kernel is correct and has a speedup of at least p, or above p. */
  fast: z.array(z.object({ p: z.number(), atLeast: Fraction, above: Fraction })),
});
export type KernelBenchFigures = z.infer<typeof KernelBenchFigures>;

/** Figures that do not improve by solving fewer problems, by degenerate problems, or by rounding. */
export const RobustKernelBenchFigures = KernelBenchFigures.extend({
  /** Number of excluded problems whose correct result proves nothing (see `Degeneracy`). */
  degenerate: z.number().int(),
  /** Number of kernels counted as unsolved because their time is below the speed-of-light bound. */
  belowSpeedOfLight: z.number().int(),
  /** Geometric mean of the speedups over all problems; an unsolved one counts as 1. Null if there are no problems. */
  geoMeanOfAll: z.number().positive().nullable(),
});
export type RobustKernelBenchFigures = z.infer<typeof RobustKernelBenchFigures>;

/** Baseline of speedups: the eager or compiled model in the same session, or a stored baseline. */
export const BaselineChoice = z.union([
  z.object({ kind: z.literal("eager") }),
  z.object({ kind: z.literal("compiled") }),
  z.object({ kind: z.literal("stored"), id: z.string() }),
]);
export type BaselineChoice = z.infer<typeof BaselineChoice>;

export const PassAtK = z.object({
  k: z.number().int().positive(),
  /** Mean over the `problems` problems with at least k samples. */
  value: z.number().min(0).max(1),
  problems: z.number().int().positive(),
});
export type PassAtK = z.infer<typeof PassAtK>;

/** Score of an entry, with the inputs from which it was computed. */
export const KernelBenchScore = z.object({
  /** Version of the formulas: 1 used the ratio of two times of a session, 2 uses speedups from the same rounds. */
  formula: z.literal([1, 2]),
  suiteVersion: z.string(),
  baseline: BaselineChoice,
  /** Versions of the tester, and names of the devices, with which the kernels were judged. */
  evaluators: z.array(z.string()),
  hardware: z.array(z.string()),
  overall: KernelBenchFigures,
  levels: z.array(KernelBenchFigures.extend({ level: Level })),
  robust: RobustKernelBenchFigures,
  robustLevels: z.array(RobustKernelBenchFigures.extend({ level: Level })),
  /** Empty if no problem has more than one sample. */
  passAtK: z.array(PassAtK),
});
export type KernelBenchScore = z.infer<typeof KernelBenchScore>;
