/** Schemas of a problem: its cases, parameters and files. */
import { z } from "zod";
import { canonicalJson } from "../text/canonical-json.ts";
import { Languages, PYTHON_ONLY } from "./language.ts";

/** Maximum size of a problem file, in bytes. */
export const MAX_PROBLEM_FILE_BYTES = 1_000_000;

/** Name of a problem; like target names, it appears in URLs, file names and terminals. */
export const ProblemName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,94}$/, "use lower-case letters, digits, - and _ (at most 95)");
export const TargetName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$/, "use letters, digits, -, _ and . (at most 40)");

export const CaseValue: z.ZodType<CaseValue> = z.union([
  // JSON numbers are doubles: a larger integer would reach the kernel with a different value.
  z
    .number()
    .refine(
      (value) => !Number.isInteger(value) || Number.isSafeInteger(value),
      "an integer beyond 2^53 would be rounded in JSON; write it as a string, and convert it in generate_input",
    ),
  // Must be storable in PostgreSQL.
  z
    .string()
    .max(200)
    .refine((text) => text.isWellFormed() && !text.includes("\0"), "use text without NUL and unpaired surrogates"),
  z.boolean(),
  z.array(z.lazy(() => CaseValue)).max(1000),
]);
/** Parameter of a case: a number, string, boolean, or list of these. */
export type CaseValue = number | string | boolean | CaseValue[];

/** Parameters of a case: keyword arguments of the problem's `generate_input`. */
export const Case = z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "use a Python identifier"), CaseValue);
export type Case = z.infer<typeof Case>;

export const RankingBy = z.enum(["last", "mean", "geom", "time", "speedup", "sol_score", "fraction_of_peak"]);
/**
 * Rule by which a board ranks. `last`, `mean` and `geom` count the last case, or the arithmetic or geometric mean of the
 * cases, by the quantity that suits the target: on CPUs the speed-up over the reference, elsewhere the time. The others
 * name the quantity for all targets: `time`, `speedup` (both the geometric mean of the cases), or an rankedBy,
 * `sol_score` or `fraction_of_peak` (see `score/ranked-by.ts`).
 */
export type RankingBy = z.infer<typeof RankingBy>;

export const StopRule = z.enum(["rounds", "paper"]);
/**
 * Stop rule of a timed case, which also determines the estimator. `rounds`: until the confidence interval over the
 * rounds is narrow. `paper`: until the standard error of the mean over one sequence of calls is below 1 % (KernelBot
 * paper, section 3.2).
 */
export type StopRule = z.infer<typeof StopRule>;

/**
 * How calls are timed: `isolated`: each call alone, its inputs and outputs not in the caches. `sustained`: several calls
 * without a pause, each on another input, timed together.
 */
export const Regime = z.enum(["isolated", "sustained"]);
export type Regime = z.infer<typeof Regime>;

/** How calls are timed, as a clause: "calls are timed ...". */
export const REGIMES: Record<Regime, string> = {
  isolated: "one by one, with cold caches",
  sustained: "without a pause in between, each on another input",
};

/** Time limit of a stage, in seconds. */
export const StageTimeoutS = z.number().positive().max(3600);

/** Number of ranks of a case, each in its own worker. */
export const WorldSize = z.number().int().min(2).max(16);

/** Importance of each benchmark, in their order. Only ratios matter. */
export const CaseWeights = z.array(z.number().positive().max(1e6)).min(1);

/** Cases of a target, if they differ from the problem's. */
export const TargetCases = z.strictObject({
  tests: z.array(Case).min(1).optional().describe("Tests of this target, instead of the problem's."),
  benchmarks: z.array(Case).min(1).optional().describe("Benchmarks of this target, instead of the problem's."),
  weights: CaseWeights.optional().describe(
    "Weights of this target's benchmarks. The problem's `weights` do not apply to a target with its own `benchmarks`.",
  ),
});

const TargetSpec = TargetCases.extend({
  /** Declared speed-of-light bound of each benchmark, in nanoseconds; absent if it is computed from the device's rates. */
  boundsNs: z.array(z.number().positive()).min(1).optional(),
  /** Number of ranks of this target's cases, if it differs from the problem's. */
  worldSize: WorldSize.optional(),
});

/** Build settings of a CUDA C++ harness, which is compiled together with the submission. */
export const HarnessBuild = z.object({
  sources: z.array(z.string()).min(1),
  includeDirs: z.array(z.string()),
  /** Macro definitions, as `NAME` or `NAME=VALUE`. */
  defines: z.array(z.string()),
  flags: z.array(z.string()),
});
export type HarnessBuild = z.infer<typeof HarnessBuild>;

/** Why inputs or results in the next lower precision are accepted. */
export const LowerPrecision = z.strictObject({
  inputs: z.string().min(1).optional().describe("Why inputs rounded to the next lower precision are accepted."),
  results: z.string().min(1).optional().describe("Why results rounded to the next lower precision are accepted."),
});

/** Why kernels may rely on a structure that the inputs of all seeds have. */
export const InputStructure = z.strictObject({
  duplicates: z.string().min(1).optional().describe("Why elements at the same positions are equal for every seed."),
  symmetry: z.string().min(1).optional().describe("Why matrices are symmetric."),
  values: z.string().min(1).optional().describe("Why a tensor has few values, or a narrow range of them."),
});

export const APPLICATION_GATES = ["none", "shown", "required"] as const;
/**
 * Effect of the application's results on the board: `none`: they are shown with the submission only; `shown`: the board
 * has a column for them; `required`: also, entries are confirmed only once their source is validated.
 */
export const ApplicationGate = z.enum(APPLICATION_GATES);
export type ApplicationGate = z.infer<typeof ApplicationGate>;

/** Program that uses the kernel as its users would: `application.py`. */
export const Application = z.object({
  cases: z.array(Case).min(1).max(100),
  /** Parameters with which each benchmark of the target is a further case; absent if none is. See `applicationCases`. */
  atBenchmarks: Case.optional(),
  /** Cases of which participants learn the verdicts only; absent if there are none. See `hidden-cases.ts`. */
  hiddenCases: z.array(Case).min(1).max(100).optional(),
  /** Relative error of results that is accepted in addition to the problem's tolerance. */
  rtol: z.number().nonnegative(),
  timeoutS: StageTimeoutS,
  gate: ApplicationGate.default("shown"),
  /** Number of first entries of a board whose kernels the server runs by itself; 0 for none. */
  checkFirst: z.int().nonnegative().default(10),
  /** Time for which these runs may occupy runners of a board within a day, in seconds. */
  secondsPerDay: z.int().nonnegative().default(3600),
});
export type Application = z.infer<typeof Application>;

/** Subject of a problem, by which lists are filtered. */
export const ProblemTag = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,29}$/, "use lower-case letters, digits and - (at most 30), such as reduction");
export const ProblemTags = z
  .array(ProblemTag)
  .min(1)
  .max(8)
  .refine((tags) => new Set(tags).size === tags.length, "a tag occurs twice");

export const DIFFICULTIES = ["introductory", "intermediate", "advanced"] as const;
/** How much a participant has to know to beat the reference. */
export const Difficulty = z.enum(DIFFICULTIES);
export type Difficulty = z.infer<typeof Difficulty>;

/** Content of `task.yml` with internal names and units, and every default filled in. */
export const ProblemSpec = z.object({
  name: ProblemName,
  description: z.string(),
  /** Absent if the problem has none. */
  tags: ProblemTags.optional(),
  /** Absent if not declared. */
  difficulty: Difficulty.optional(),
  lang: z.enum(["py", "cu"]),
  languages: Languages.default(PYTHON_ONLY),
  templates: z.record(z.string(), z.string()),
  tests: z.array(Case),
  benchmarks: z.array(Case),
  targets: z.record(TargetName, TargetSpec),
  /** Number of output buffers: the last tensors of the input, into which the kernel writes its result. */
  outputs: z.number().int().positive(),
  /** Null if `reference.py` defines its own `check_implementation`. */
  tolerance: z.object({ rtol: z.number(), atol: z.number(), reason: z.string() }).nullable(),
  /** Lower precision that the tolerance accepts deliberately; absent if none. */
  lowerPrecision: LowerPrecision.optional(),
  /** Structure of inputs that is deliberate; absent if none. */
  inputStructure: InputStructure.optional(),
  /** Absent if the problem has no application. */
  application: Application.optional(),
  rankingBy: RankingBy,
  /** Weights of the benchmarks; absent if all count alike. See `weightsFor`. */
  weights: CaseWeights.optional(),
  stop: StopRule.default("rounds"),
  regime: Regime.default("isolated"),
  timeoutsS: z.object({
    prepare: StageTimeoutS,
    test: StageTimeoutS,
    benchmark: StageTimeoutS,
    ranked: StageTimeoutS,
    profile: StageTimeoutS.default(180),
  }),
  /** Number of ranks of the problem's own cases; absent if the problem has no ranks. */
  worldSize: WorldSize.optional(),
  /**
   * Program that checks and times: the judge, or a harness that the problem contains (see `problem-legacy.ts`).
   * `imported`: none, because only results are known (see `dataset/import.ts`).
   */
  harness: z.enum(["judge", "legacy", "imported"]).default("judge"),
  /** File that starts a legacy harness; null for the judge, and for a compiled harness. */
  main: z.string().nullable().default(null),
  /** Build settings of a compiled legacy harness; absent for others. */
  build: HarnessBuild.optional(),
  /** File name of the submission, in the same folder as the problem's files. */
  submissionName: z.string().default("submission.py"),
});
export type ProblemSpec = z.infer<typeof ProblemSpec>;

/** Text files of a problem, by path within the problem: the files that the judge needs, and templates. */
export const ProblemFiles = z.record(z.string(), z.string().max(MAX_PROBLEM_FILE_BYTES));
export type ProblemFiles = z.infer<typeof ProblemFiles>;

/** Problem as stored in the database and sent to runners and judges. */
export const Problem = z.object({ spec: ProblemSpec, files: ProblemFiles });
export type Problem = z.infer<typeof Problem>;

/** Returns the tests and benchmarks of a target. */
export function casesFor(spec: ProblemSpec, target: string): { tests: Case[]; benchmarks: Case[] } {
  const own = spec.targets[target];
  return { tests: own?.tests ?? spec.tests, benchmarks: own?.benchmarks ?? spec.benchmarks };
}

/**
 * Returns the cases of an application that participants can read: its own, and the target's benchmarks in use, each
 * once. The tester does the same (`application_cases`).
 * @param benchmarks Those of the target.
 */
export function applicationCases(
  { cases, atBenchmarks }: Pick<Application, "cases" | "atBenchmarks">,
  benchmarks: readonly Case[],
): Case[] {
  if (atBenchmarks === undefined) return cases;
  const inUse = benchmarks.map((benchmark): Case => ({ ...benchmark, ...atBenchmarks }));
  return [...cases, ...new Map(inUse.map((one) => [canonicalJson({ ...one, seed: 0 }), one])).values()];
}

/** Returns the weights of the benchmarks of a target, in their order; undefined where all count alike. */
export function weightsFor(spec: ProblemSpec, target: string): number[] | undefined {
  const own = spec.targets[target];
  return own?.weights ?? (own?.benchmarks === undefined ? spec.weights : undefined);
}

/** Returns whether the benchmarks of any target have weights. */
export function hasWeights(spec: ProblemSpec): boolean {
  return Object.keys(spec.targets).some((target) => weightsFor(spec, target) !== undefined);
}
