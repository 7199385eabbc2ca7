/** Schema of `task.yml`. */
import { z } from "zod";
import { invalidProblem } from "./error.ts";
import {
  Case,
  LowerPrecision,
  ProblemName,
  RankingBy,
  StageTimeoutS,
  StopRule,
  TargetCases,
  TargetName,
} from "./spec.ts";
import { parseYaml } from "../text/yaml.ts";

/** Value of a macro: `-DNAME` if null, else `-DNAME=VALUE`. */
const Define = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const TaskFile = z.strictObject({
  description: z.string().min(1),
  /** Language of the problem's own harness. */
  lang: z.enum(["py", "cu"], "write py or cu").default("py"),
  /** Languages accepted; only Python by default. */
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
  /**
   * Accepted and ignored, for existing directories: the judge draws its own seeds, and libraries are part of the image.
   */
  seed: z.number().int().nullish(),
  libraries: z.array(z.string()).nullish(),
  templates: z
    .record(z.string(), z.string())
    .nullish()
    .transform((templates) => templates ?? {}),
  tests: z.array(Case).min(1),
  benchmarks: z.array(Case).min(1),
  targets: z.record(TargetName, TargetCases.nullable()).default({}),
  gpus: z.array(TargetName).default([]),
  outputs: z.number().int().positive().default(1),
  tolerance: z
    .strictObject({ rtol: z.number().nonnegative(), atol: z.number().nonnegative(), reason: z.string().min(1) })
    .optional(),
  lower_precision: LowerPrecision.optional(),
  ranking_by: RankingBy.default("last"),
  stop: StopRule.default("rounds"),
  prepare_timeout: StageTimeoutS.default(60),
  test_timeout: StageTimeoutS.default(180),
  benchmark_timeout: StageTimeoutS.default(180),
  ranked_timeout: StageTimeoutS.default(180),
  /** Defaults to `benchmark_timeout`. */
  profile_timeout: StageTimeoutS.optional(),
});
/** Parsed `task.yml`, with every default filled in. */
export type TaskFile = z.infer<typeof TaskFile>;

/**
 * Parses `task.yml`.
 * @throws KernelBotError `unprocessable`, with the problem and the key.
 */
export function parseTaskFile(name: string, text: string | undefined): TaskFile {
  if (!ProblemName.safeParse(name).success) {
    throw invalidProblem(name, "its name may have lower-case letters, digits, - and _ only");
  }
  if (text === undefined) throw invalidProblem(name, "task.yml is missing");
  let yaml: unknown;
  try {
    yaml = parseYaml(text);
  } catch (error) {
    throw invalidProblem(name, `task.yml is not YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
  const parsed = TaskFile.safeParse(yaml);
  if (parsed.success) return parsed.data;
  throw invalidProblem(
    name,
    parsed.error.issues
      .map((issue) => `task.yml: ${issue.path.length > 0 ? `${issue.path.join(".")}: ` : ""}${issue.message}`)
      .join("; "),
  );
}
