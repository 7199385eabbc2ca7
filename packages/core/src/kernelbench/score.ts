/** Score of an entry. */
import { z } from "zod";
import { Level } from "./key.ts";

/** Speedups p at which Fast@p is reported. */
export const FAST_P = [0, 0.5, 0.8, 1, 1.5, 2] as const;

/** Count with its total. */
export const Share = z.object({ count: z.number().int(), of: z.number().int() });
export type Share = z.infer<typeof Share>;

/** Figures over the problems of a level, or over all problems. */
export const Figures = z.object({
  /** Number of problems, the total of every share. */
  problems: z.number().int(),
  /** Number of problems with a kernel. */
  submitted: z.number().int(),
  compiled: Share,
  correct: Share,
  /** Geometric mean of the speedups of the `geoMeanOf` correct and timed kernels; null if there are none. */
  geoMean: z.number().positive().nullable(),
  geoMeanOf: z.number().int(),
  /** Share of all problems whose kernel is correct and has a speedup of at least p, or above p. */
  fast: z.array(z.object({ p: z.number(), atLeast: Share, above: Share })),
});
export type Figures = z.infer<typeof Figures>;

/** Figures that do not improve by solving fewer problems, by degenerate problems, or by rounding. */
export const RobustFigures = Figures.extend({
  /** Number of excluded problems whose correct result proves nothing (see `Degeneracy`). */
  degenerate: z.number().int(),
  /** Number of kernels counted as unsolved because their time is below the speed-of-light bound. */
  belowFloor: z.number().int(),
  /** Geometric mean of the speedups over all problems; an unsolved one counts as 1. Null if there are no problems. */
  geoMeanOfAll: z.number().positive().nullable(),
});
export type RobustFigures = z.infer<typeof RobustFigures>;

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
export const EntryScore = z.object({
  /** Version of the formulas: 1 used the ratio of two times of a session, 2 uses speedups from the same rounds. */
  formula: z.literal([1, 2]),
  suiteVersion: z.string(),
  baseline: BaselineChoice,
  /** Versions of the tester, and names of the devices, with which the kernels were judged. */
  evaluators: z.array(z.string()),
  hardware: z.array(z.string()),
  overall: Figures,
  levels: z.array(Figures.extend({ level: Level })),
  robust: RobustFigures,
  robustLevels: z.array(RobustFigures.extend({ level: Level })),
  /** Empty if no problem has more than one sample. */
  passAtK: z.array(PassAtK),
});
export type EntryScore = z.infer<typeof EntryScore>;
