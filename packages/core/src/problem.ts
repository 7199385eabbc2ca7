/**
 * A problem directory, as data. `docs/problems.md` describes the format for authors.
 *
 *     const problem = parseProblem("vectoradd", { "task.yml": "...", "reference.py": "..." });
 *     casesFor(problem, "cpu").benchmarks   // the cases that the board of target cpu is timed on
 */
import { z } from "zod";
import { canonicalJson } from "./canonical-json.ts";
import { sha256 } from "./digest.ts";
import { KernelBotError, quote } from "./errors.ts";
import { Languages, PYTHON_ALONE } from "./language.ts";
import { languagesOf } from "./problem-languages.ts";
import { legacyHarness, withCountedBenchmarks } from "./problem-legacy.ts";
import { withRanks } from "./problem-ranks.ts";
import { parseYaml } from "./yaml.ts";

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

const Seconds = z.number().positive().max(3600);

/** How many ranks work on a case, each in a worker of its own. */
export const WorldSize = z.number().int().min(2).max(16);

const TargetFile = z.strictObject({
  /** Cases for this target in place of the problem's own. */
  tests: z.array(Case).min(1).optional(),
  benchmarks: z.array(Case).min(1).optional(),
});

const TargetSpec = TargetFile.extend({
  /** Of its cases, where it is not the problem's. */
  worldSize: WorldSize.optional(),
});

/** What a compiler is told of a macro: `-DNAME`, or `-DNAME=VALUE`. */
const Define = z.union([z.string(), z.number(), z.boolean(), z.null()]);

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
const LowerPrecision = z.strictObject({
  inputs: z.string().min(1).optional(),
  results: z.string().min(1).optional(),
});

const TaskFile = z.strictObject({
  description: z.string().min(1),
  /** Of a harness of the problem's own. */
  lang: z.enum(["py", "cu"], "write py or cu").default("py"),
  /** Which files are taken; Python alone unless it says. */
  languages: z.record(z.string(), z.unknown()).optional(),
  files: z.array(z.strictObject({ name: z.string(), source: z.string() })).optional(),
  config: z
    .strictObject({
      main: z.string().optional(),
      sources: z.array(z.string()).optional(),
      include_dirs: z.array(z.string().max(300)).max(100).nullish(),
      defines: z.record(z.string().regex(/^[A-Za-z_]\w*$/, "use the name of a macro"), Define).nullish(),
      compile_flags: z.array(z.string().max(300)).max(100).nullish(),
    })
    .default({}),
  multi_gpu: z.boolean().default(false),
  /** Taken for the sake of existing directories: the judge draws its own seeds, and images bring the libraries. */
  seed: z.number().int().nullish(),
  libraries: z.array(z.string()).nullish(),
  templates: z
    .record(z.string(), z.string())
    .nullish()
    .transform((templates) => templates ?? {}),
  tests: z.array(Case).min(1),
  benchmarks: z.array(Case).min(1),
  targets: z.record(TargetName, TargetFile.nullable()).default({}),
  gpus: z.array(TargetName).default([]),
  outputs: z.number().int().positive().default(1),
  tolerance: z
    .strictObject({ rtol: z.number().nonnegative(), atol: z.number().nonnegative(), reason: z.string().min(1) })
    .optional(),
  lower_precision: LowerPrecision.optional(),
  ranking_by: RankingBy.default("last"),
  stop: Stop.default("rounds"),
  prepare_timeout: Seconds.default(60),
  test_timeout: Seconds.default(180),
  benchmark_timeout: Seconds.default(180),
  ranked_timeout: Seconds.default(180),
  /** That of the benchmark where none is given. */
  profile_timeout: Seconds.optional(),
});
/** `task.yml` as its author wrote it, with every default filled in. */
export type TaskFile = z.infer<typeof TaskFile>;

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
    prepare: Seconds,
    test: Seconds,
    benchmark: Seconds,
    ranked: Seconds,
    profile: Seconds.default(180),
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

/**
 * Makes a problem of the files of its directory.
 * @param sources Where templates are looked up, by the paths that `task.yml` gives.
 * @throws KernelBotError `unprocessable` that names the problem, the key and what to write there.
 */
export function parseProblem(name: string, files: ProblemFiles, sources: ProblemFiles = files): Problem {
  const task = readTask(name, files["task.yml"]);
  const legacy = legacyHarness(name, task);
  if (legacy === null && files["reference.py"] === undefined) throw brokenProblem(name, "reference.py is missing");
  const targets: ProblemSpec["targets"] = Object.fromEntries([
    ...task.gpus.map((target) => [target, {}] as const),
    ...Object.entries(task.targets).map(([target, spec]) => [target, spec ?? {}] as const),
  ]);
  if (Object.keys(targets).length === 0) {
    throw brokenProblem(name, "task.yml: targets: name at least one target, such as cpu");
  }
  const templates: Record<string, string> = {};
  for (const [language, path] of Object.entries(task.templates)) {
    const source = sources[path];
    if (source === undefined) {
      throw brokenProblem(name, `task.yml: templates.${language}: there is no file ${quote(path)}`);
    }
    templates[language] = source;
  }
  const spec: ProblemSpec = {
    name,
    description: task.description,
    lang: task.lang,
    languages: languagesOf(name, task, files, legacy),
    templates,
    tests: task.tests,
    benchmarks: task.benchmarks,
    targets,
    outputs: task.outputs,
    tolerance: task.tolerance ?? null,
    ...(task.lower_precision === undefined ? {} : { lowerPrecision: task.lower_precision }),
    rankingBy: task.ranking_by,
    stop: task.stop,
    timeoutsS: {
      prepare: task.prepare_timeout,
      test: task.test_timeout,
      benchmark: task.benchmark_timeout,
      ranked: task.ranked_timeout,
      profile: task.profile_timeout ?? task.benchmark_timeout,
    },
    harness: legacy === null ? "judge" : "legacy",
    main: legacy?.main ?? null,
    ...(legacy?.build != null && { build: legacy.build }),
    submissionName: legacy?.submissionName ?? "submission.py",
  };
  const counted = legacy === null ? spec : withCountedBenchmarks(spec);
  return { spec: task.multi_gpu ? withRanks(counted) : counted, files };
}

/**
 * What `task.yml` says.
 * @throws KernelBotError `unprocessable` that names the problem and the key.
 */
export function readTask(name: string, text: string | undefined): TaskFile {
  if (!ProblemName.safeParse(name).success) {
    throw brokenProblem(name, "its name may have lower-case letters, digits, - and _ only");
  }
  if (text === undefined) throw brokenProblem(name, "task.yml is missing");
  let yaml: unknown;
  try {
    yaml = parseYaml(text);
  } catch (error) {
    throw brokenProblem(name, `task.yml is not YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
  const parsed = TaskFile.safeParse(yaml);
  if (parsed.success) return parsed.data;
  throw brokenProblem(
    name,
    parsed.error.issues
      .map((issue) => `task.yml: ${issue.path.length > 0 ? `${issue.path.join(".")}: ` : ""}${issue.message}`)
      .join("; "),
  );
}

/** A problem that cannot be taken, and why. */
export function brokenProblem(name: string, what: string, cause?: unknown): KernelBotError {
  return new KernelBotError("unprocessable", `problem ${quote(name)}: ${what}`, { cause });
}

/**
 * The immutable version of a problem: SHA-256 over its parsed parameters and its files, in hexadecimal.
 * The same content gives the same version on every machine, whatever the order of the keys.
 */
export async function problemVersion(problem: Problem): Promise<string> {
  return sha256(canonicalJson(problem));
}

/** The tests and benchmarks of one target. */
export function casesFor(spec: ProblemSpec, target: string): { tests: Case[]; benchmarks: Case[] } {
  const own = spec.targets[target];
  return { tests: own?.tests ?? spec.tests, benchmarks: own?.benchmarks ?? spec.benchmarks };
}

/** A case as one line: `size: 127; seed: 4242`. */
export function caseLine(values: Case): string {
  return Object.entries(values)
    .map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("; ");
}
