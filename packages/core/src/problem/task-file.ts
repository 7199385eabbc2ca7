/** Schema of `task.yml`. */
import { z } from "zod";
import { invalidProblem } from "./error.ts";
import { isOldForm, oldDifferences } from "./old-form.ts";
import {
  ApplicationGate,
  Case,
  CaseWeights,
  Difficulty,
  InputStructure,
  LowerPrecision,
  ProblemName,
  ProblemTags,
  RankingBy,
  Regime,
  StageTimeoutS,
  StopRule,
  TargetCases,
  TargetName,
} from "../vocabulary/specification.ts";
import { readYaml, type ParsedYaml } from "../text/yaml.ts";
import { ambiguityFaults, yamlFault } from "../text/yaml-faults.ts";

/** Value of a macro: `-DNAME` if null, else `-DNAME=VALUE`. */
const Define = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** The descriptions are the reference page of `task.yml`. */
export const TaskFile = z.strictObject({
  description: z
    .string()
    .min(1)
    .describe(
      "What the problem computes, in [Markdown](problem-files.md#the-description): the formula, each tensor, where the result goes, how it is checked.",
    ),
  tags: ProblemTags.optional().describe(
    "Subjects for filters, such as `[reduction, attention]`: at most 8, of lower-case letters, digits and `-`.",
  ),
  difficulty: Difficulty.optional().describe(
    "What it takes to beat the reference. `introductory`: a first kernel; `intermediate`: tiling, shared memory, reductions; `advanced`: tensor cores, several kernels or ranks.",
  ),
  tests: z.array(Case).min(1).describe("Cases of the stage `test`. They are public, seeds included."),
  benchmarks: z.array(Case).min(1).describe("Cases that are timed. Secret seeds replace theirs."),
  targets: z
    .record(
      TargetName,
      TargetCases.extend({
        speed_of_light_us: z
          .array(z.number().positive())
          .min(1)
          .optional()
          .describe(
            "[Speed-of-light bound](../explanation/speed-of-light.md#the-speed-of-light-bound) of each benchmark, in their order and in microseconds, instead of the one computed from `cost`.",
          ),
      }).nullable(),
    )
    .default({})
    .describe(
      "The boards, one per target, which may be empty (`H100:`) or have cases of its own. At least one is required here, in `gpus` or in the [competition file](../guides/move-existing-problems.md#2-bring-the-competition-files) of the directory.",
    ),
  gpus: z.array(TargetName).default([]).describe("Short form for targets without cases of their own."),
  outputs: z
    .number()
    .int()
    .positive()
    .default(1)
    .describe("How many of the last tensors of the input are output buffers."),
  tolerance: z
    .strictObject({
      rtol: z.number().nonnegative().describe("Relative tolerance."),
      atol: z.number().nonnegative().describe("Absolute tolerance."),
      reason: z.string().min(1).describe("Why these numbers suit the required precision."),
    })
    .optional()
    .describe(
      "A number is correct if `abs(got - expected) <= atol + rtol * abs(expected)`. Required unless `reference.py` defines `check_implementation`.",
    ),
  lower_precision: LowerPrecision.optional().describe(
    "Which [lower precision](../guides/write-a-problem.md#4-choose-a-tolerance) the tolerance accepts deliberately, each with its reason.",
  ),
  input_structure: InputStructure.optional().describe(
    "Which [structure](../guides/write-a-problem.md#5-keep-the-timed-inputs-secret) the inputs of all seeds have deliberately, each with its reason.",
  ),
  application: z
    .strictObject({
      cases: z
        .array(Case)
        .min(1)
        .max(100)
        .describe("Keyword arguments of `run` in `application.py`. Secret seeds replace theirs."),
      at_benchmarks: Case.optional().describe(
        "Keyword arguments of `run` that make each benchmark of the target a further case, together with the benchmark's own.",
      ),
      rtol: z
        .number()
        .nonnegative()
        .default(0)
        .describe("Relative error of its results that is accepted in addition to the `tolerance`."),
      timeout: StageTimeoutS.default(120).describe("Limit of the stage `application`, in seconds."),
      gate: ApplicationGate.default("shown").describe(
        "Effect on the board. `shown`: a column *In use*; `required`: also, only validated kernels are confirmed. A change to or from `required` starts a new revision of the board.",
      ),
      check_first: z
        .int()
        .min(0)
        .max(1000)
        .default(10)
        .describe("Number of first entries of each board whose kernels the server runs by itself."),
      seconds_per_day: z
        .int()
        .min(0)
        .max(86_400)
        .default(3600)
        .describe("Limit of these runs for each board within a day, in seconds."),
    })
    .optional()
    .describe(
      "The problem's [application](problem-files.md#applicationpy), which shows whether a kernel works in use.",
    ),
  ranking_by: RankingBy.default("last").describe(
    "What ranks. `last`, `mean` and `geom`: the last case, the arithmetic or the geometric mean of the speedups on CPUs, of the times elsewhere. `time`, `speedup`, and the [speed-of-light scores](../explanation/speed-of-light.md#speed-of-light-scores) `sol_score` and `fraction_of_peak` rank by that value on every target.",
  ),
  weights: CaseWeights.optional().describe(
    "[Importance](../explanation/scoring.md#estimates) of each benchmark in the score, in their order: positive numbers, of which only the ratios matter.",
  ),
  stop: StopRule.default("rounds").describe(
    "When a timed case ends, and [how its time is estimated](../explanation/scoring.md).",
  ),
  regime: Regime.default("isolated").describe(
    "Whether each call is timed alone with cold caches, or [several calls without a pause](../explanation/scoring.md#regimes).",
  ),
  templates: z
    .record(z.string(), z.string())
    .nullish()
    .transform((templates) => templates ?? {})
    .describe("Starters, such as `Python: template.py`, `Triton: template_triton.py`."),
  prepare_timeout: StageTimeoutS.default(60).describe(
    "Limit of compiling and importing the submission, in seconds of [processor time](../guides/compile-in-a-submission.md#when-processes-may-be-started); at most three times as long on the clock.",
  ),
  test_timeout: StageTimeoutS.default(180).describe("Limit of the stage `test`, all cases together, in seconds."),
  benchmark_timeout: StageTimeoutS.default(180).describe("Limit of the stage `benchmark`, in seconds."),
  ranked_timeout: StageTimeoutS.default(180).describe("Limit of the stage `ranked`, in seconds."),
  profile_timeout: StageTimeoutS.optional().describe(
    "Limit of the stage `profile`, in seconds; defaults to `benchmark_timeout`.",
  ),
  languages: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      "Languages of submissions: `py`, `cpp`, `cu`, each empty or with `flags` for its compiler; Python only if absent. See [problems that accept C++](problem-files.md#taskh).",
    ),
  multi_gpu: z
    .boolean()
    .default(false)
    .describe("Whether [several ranks](problem-files.md#several-ranks) work on a case."),
  files: z
    .array(
      z.strictObject({
        name: z.string().describe("Name of the file in the problem."),
        source: z.string().describe("Path relative to `task.yml`, or `@SUBMISSION@` for the submission."),
      }),
    )
    .optional()
    .describe("[Files shared](problem-files.md#shared-files) with other problems, or the files of a harness."),
  lang: z
    .enum(["py", "cu"], "write py or cu")
    .default("py")
    .describe("Language of [a harness of the problem's own](harness.md)."),
  config: z
    .strictObject({
      main: z.string().optional().describe("File that is started."),
      sources: z
        .array(z.string())
        .optional()
        .describe("With `lang: cu`: files that are compiled, the submission among them."),
      include_dirs: z.array(z.string().max(300)).max(100).nullish().describe("With `lang: cu`: include directories."),
      defines: z
        .record(z.string().regex(/^[A-Za-z_]\w*$/, "use the name of a macro"), Define)
        .nullish()
        .describe("With `lang: cu`: macros, by name."),
      compile_flags: z
        .array(z.string().max(300))
        .max(100)
        .nullish()
        .describe("With `lang: cu`: flags of the compiler."),
    })
    .default({})
    .describe("[A harness of the problem's own](harness.md)."),
  // The judge draws its own seeds, and libraries are part of the image.
  seed: z.number().int().nullish().describe("Accepted and ignored, for existing problem directories."),
  libraries: z.array(z.string()).nullish().describe("Accepted and ignored, for existing problem directories."),
});
/** Parsed `task.yml`, with every default filled in. */
export type TaskFile = z.infer<typeof TaskFile>;

/**
 * Parses `task.yml`.
 * @throws KernelBotError `unprocessable`, with the problem and the key.
 */
export function parseTaskFile(name: string, text: string | undefined): TaskFile {
  if (!ProblemName.safeParse(name).success) {
    throw invalidProblem(name, "its name may only contain lower-case letters, digits, - and _");
  }
  if (text === undefined) throw invalidProblem(name, "task.yml is missing");
  let yaml: ParsedYaml;
  try {
    yaml = readYaml(text);
  } catch (error) {
    throw invalidProblem(name, `task.yml is not YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
  const isOld = isOldForm(yaml.value);
  const faults = isOld ? [] : ambiguityFaults(yaml);
  const parsed = TaskFile.safeParse(isOld ? yaml.withYaml11(oldDifferences(yaml)) : yaml.value);
  if (parsed.success && faults.length === 0) return parsed.data;
  faults.push(...(parsed.error?.issues ?? []).map((issue) => yamlFault(issue, yaml)));
  throw invalidProblem(name, faults.map((fault) => `task.yml: ${fault}`).join("; "));
}
