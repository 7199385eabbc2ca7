/** The figures of an entry. */
import { z } from "zod";
import { Level } from "./key.ts";

/** The speed-ups at which Fast@p is told. */
export const FAST_P = [0, 0.5, 0.8, 1, 1.5, 2] as const;

/** A share with what it is of. */
export const Share = z.object({ count: z.number().int(), of: z.number().int() });
export type Share = z.infer<typeof Share>;

/** Of the problems of a level, or of all. */
export const Figures = z.object({
  /** How many problems there are: what every share is of. */
  problems: z.number().int(),
  /** How many have a kernel. */
  submitted: z.number().int(),
  compiled: Share,
  correct: Share,
  /** Over the correct kernels that were timed, whose number `geoMeanOf` is; null where there are none. */
  geoMean: z.number().positive().nullable(),
  geoMeanOf: z.number().int(),
  /** The part of all problems whose kernel is correct and at least, or more than, p times as fast as the baseline. */
  fast: z.array(z.object({ p: z.number(), atLeast: Share, above: Share })),
});
export type Figures = z.infer<typeof Figures>;

/** What cannot be raised by solving less, by problems that say nothing, or by rounding. */
export const RobustFigures = Figures.extend({
  /** Problems that are left out since zeros pass, or since their output does not depend on their input. */
  degenerate: z.number().int(),
  /** Kernels that count as unsolved since they took less time than the hardware needs. */
  belowFloor: z.number().int(),
  /** Over all problems, where an unsolved one counts as the baseline's speed: 1. Null where there are no problems. */
  geoMeanOfAll: z.number().positive().nullable(),
});
export type RobustFigures = z.infer<typeof RobustFigures>;

/** Against which times speed-ups are taken: of the same session, or a stored baseline. */
export const BaselineChoice = z.union([
  z.object({ kind: z.literal("eager") }),
  z.object({ kind: z.literal("compiled") }),
  z.object({ kind: z.literal("stored"), id: z.string() }),
]);
export type BaselineChoice = z.infer<typeof BaselineChoice>;

export const PassAtK = z.object({
  k: z.number().int().positive(),
  /** The mean over the problems that have at least k samples, whose number `problems` is. */
  value: z.number().min(0).max(1),
  problems: z.number().int().positive(),
});
export type PassAtK = z.infer<typeof PassAtK>;

/** All figures of an entry, with what they were computed from. */
export const EntryScore = z.object({
  /** Version of the formulas: 1 took speed-ups of two times of a session, 2 takes them from rounds taken side by side. */
  formula: z.literal([1, 2]),
  suiteVersion: z.string(),
  baseline: BaselineChoice,
  /** Versions of the tester, and the devices, that judged its kernels. */
  evaluators: z.array(z.string()),
  hardware: z.array(z.string()),
  overall: Figures,
  levels: z.array(Figures.extend({ level: Level })),
  robust: RobustFigures,
  robustLevels: z.array(RobustFigures.extend({ level: Level })),
  /** Empty where no problem has several samples. */
  passAtK: z.array(PassAtK),
});
export type EntryScore = z.infer<typeof EntryScore>;
