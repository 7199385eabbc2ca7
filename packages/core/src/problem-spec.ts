/** Schemas of a problem: its cases, parameters and files. */
import { z } from "zod";
import { Languages, PYTHON_ALONE } from "./language.ts";

/** The largest file that a problem may ship, in bytes. */
export const MAX_PROBLEM_FILE_BYTES = 1_000_000;

/** Names of problems and targets appear in addresses, file names and terminals. */
export const ProblemName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,94}$/, "use lower-case letters, digits, - and _ (at most 95)");
export const TargetName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$/, "use letters, digits, -, _ and . (at most 40)");

export const CaseValue: z.ZodType<CaseValue> = z.union([
  // JSON carries what a double holds: what is larger would reach the kernel as another number.
  z
    .number()
    .refine(
      (value) => !Number.isInteger(value) || Number.isSafeInteger(value),
      "a whole number beyond 2^53 would be rounded on its way; write it as a text, and convert it in generate_input",
    ),
  // As a database stores it.
  z
    .string()
    .max(200)
    .refine((text) => text.isWellFormed() && !text.includes("\0"), "use a text without NUL and halves of characters"),
  z.boolean(),
  z.array(z.lazy(() => CaseValue)).max(1000),
]);
/** A parameter of a case: any number, text, truth value, or a list of such. */
export type CaseValue = number | string | boolean | CaseValue[];

/** One set of parameters: keyword arguments of the problem's `generate_input`. */
export const Case = z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "use a Python identifier"), CaseValue);
export type Case = z.infer<typeof Case>;

export const RankingBy = z.enum(["last", "mean", "geom"]);
/** How the scores of the cases become one: the last case alone, their mean, or their geometric mean. */
export type RankingBy = z.infer<typeof RankingBy>;

export const Stop = z.enum(["rounds", "paper"]);
/**
 * When a timed case ends, and so what its estimate is: the rounds once their interval is narrow, or the mean
 * over one sequence of calls once its standard error is under 1 % (the rule of the KernelBot paper, section 3.2).
 */
export type Stop = z.infer<typeof Stop>;

/** The time limit of a stage, in seconds. */
export const StageTimeoutS = z.number().positive().max(3600);

/** How many ranks work on a case, each in a worker of its own. */
export const WorldSize = z.number().int().min(2).max(16);

/** The cases of a target, where they differ from those of the problem. */
export const TargetCases = z.strictObject({
  /** Cases for this target in place of the problem's own. */
  tests: z.array(Case).min(1).optional(),
  benchmarks: z.array(Case).min(1).optional(),
});

const TargetSpec = TargetCases.extend({
  /** Of its cases, where it is not the problem's. */
  worldSize: WorldSize.optional(),
});

/** How a harness in CUDA C++ is made, with the submission in it. */
export const HarnessBuild = z.object({
  sources: z.array(z.string()).min(1),
  includeDirs: z.array(z.string()),
  /** As `NAME` or `NAME=VALUE`. */
  defines: z.array(z.string()),
  flags: z.array(z.string()),
});
export type HarnessBuild = z.infer<typeof HarnessBuild>;

/** Why inputs, or results, of the next lower precision are welcome. */
export const LowerPrecision = z.strictObject({
  inputs: z.string().min(1).optional(),
  results: z.string().min(1).optional(),
});

/** What `task.yml` says, in our units and names, with every default filled in. */
export const ProblemSpec = z.object({
  name: ProblemName,
  description: z.string(),
  lang: z.enum(["py", "cu"]),
  languages: Languages.default(PYTHON_ALONE),
  templates: z.record(z.string(), z.string()),
  tests: z.array(Case),
  benchmarks: z.array(Case),
  targets: z.record(TargetName, TargetSpec),
  /** How many of the last tensors of the input are the buffers that the kernel writes its result into. */
  outputs: z.number().int().positive(),
  /** Null where `reference.py` brings its own `check_implementation`. */
  tolerance: z.object({ rtol: z.number(), atol: z.number(), reason: z.string() }).nullable(),
  /** Which lower precision the tolerance lets pass on purpose; absent where it lets none. */
  lowerPrecision: LowerPrecision.optional(),
  rankingBy: RankingBy,
  stop: Stop.default("rounds"),
  timeoutsS: z.object({
    prepare: StageTimeoutS,
    test: StageTimeoutS,
    benchmark: StageTimeoutS,
    ranked: StageTimeoutS,
    profile: StageTimeoutS.default(180),
  }),
  /** Of the problem's own cases; absent where there are no ranks. */
  worldSize: WorldSize.optional(),
  /**
   * Who checks and times: our judge, or a program that the problem brings (see `problem-legacy.ts`); `imported`: nobody
   * any more, since only results are known (see `dataset/import.ts`).
   */
  harness: z.enum(["judge", "legacy", "imported"]).default("judge"),
  /** The file that starts a legacy harness; null for our judge, and for a harness that is compiled. */
  main: z.string().nullable().default(null),
  /** How a legacy harness is compiled; absent of all that are not. */
  build: HarnessBuild.optional(),
  /** The name under which the submission lies beside the other files. */
  submissionName: z.string().default("submission.py"),
});
export type ProblemSpec = z.infer<typeof ProblemSpec>;

/** A problem's texts, by path inside the problem: all that a judge needs, and starters for participants. */
export const ProblemFiles = z.record(z.string(), z.string().max(MAX_PROBLEM_FILE_BYTES));
export type ProblemFiles = z.infer<typeof ProblemFiles>;

/** A problem as it travels: to the database, to a runner, to a judge. */
export const Problem = z.object({ spec: ProblemSpec, files: ProblemFiles });
export type Problem = z.infer<typeof Problem>;

/** The tests and benchmarks of one target. */
export function casesFor(spec: ProblemSpec, target: string): { tests: Case[]; benchmarks: Case[] } {
  const own = spec.targets[target];
  return { tests: own?.tests ?? spec.tests, benchmarks: own?.benchmarks ?? spec.benchmarks };
}
