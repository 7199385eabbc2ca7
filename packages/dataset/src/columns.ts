/** Files of a snapshot and their columns: the source for the writer, the card and the readers' checks. */

/** Type of a column. `timestamp`: UTC, in microseconds. `doubles`, `strings` and `int32s`: lists without nulls. */
export type ColumnType =
  "int64" | "int32" | "double" | "boolean" | "string" | "timestamp" | "doubles" | "strings" | "int32s";

export interface Column {
  name: string;
  type: ColumnType;
  nullable: boolean;
  /** Meaning and unit of the column, for the card. */
  meaning: string;
}

export type FileKind = "submissions" | "samples" | "code" | "corpus" | "problems" | "boards" | "leaderboards";

function column<const Name extends string, const Type extends ColumnType>(name: Name, type: Type, meaning: string) {
  return { name, type, nullable: false, meaning } as const;
}

function maybe<const Name extends string, const Type extends ColumnType>(name: Name, type: Type, meaning: string) {
  return { name, type, nullable: true, meaning } as const;
}

/** Facts of each run, without code: a row for each submission on each target, and for each rerun. */
const SUBMISSIONS = [
  column(
    "submission_id",
    "int64",
    "number of the submission; in an anonymous row a pseudonymous number that joins the files of a snapshot",
  ),
  column("run_id", "int64", "number of the run; in an anonymous row pseudonymous"),
  column(
    "rerun",
    "int32",
    "0 for the submission's own run on this problem_version, or the one carried over from an earlier version; n for its nth " +
      "re-run with a fresh seed",
  ),
  column("competition", "string", "name of the competition"),
  column("problem_id", "int64", "number of the problem"),
  column("problem", "string", "name of the problem"),
  column("problem_version", "string", "SHA-256 of the problem's files and parameters that the run was judged with"),
  column("target", "string", "type of device"),
  column("user_id", "string", "account; pseudonymous if the row is anonymous"),
  column("user_name", "string", "name of the account; pseudonymous if the row is anonymous"),
  column("anonymous", "boolean", "whether account, name, numbers and file name are pseudonymous"),
  column("author_kind", "string", "declared author: undeclared, human, assisted or autonomous"),
  maybe("model", "string", "declared model that wrote it or assisted"),
  column("licence", "string", "SPDX identifier of the licence under which it is published"),
  column("mode", "string", "test, benchmark, ranked, profile, duel or application"),
  column("file_name", "string", "file name as submitted"),
  column("code_id", "int64", "first 63 bits of code_sha256"),
  column("code_sha256", "string", "SHA-256 of the source in UTF-8, in hexadecimal: joins code.parquet"),
  column("code_bytes", "int32", "size of the source in bytes"),
  column("submitted_at", "timestamp", "time of submission"),
  maybe("started_at", "timestamp", "start of the last attempt"),
  maybe("finished_at", "timestamp", "time of the verdict"),
  column("attempts", "int32", "number of times that a runner claimed it"),
  column("state", "string", "done or cancelled"),
  maybe("verdict", "string", "passed, failed, quarantined or infra_error; null if cancelled"),
  maybe(
    "failure_class",
    "string",
    "compile_error, crash, wrong_result, timeout, out_of_memory or rejected; null unless it failed",
  ),
  maybe(
    "score_ns",
    "double",
    "runtime in nanoseconds, which ranks unless there is a ranked_value; null unless it is a ranked run that passed",
  ),
  maybe("score_low_ns", "double", "lower end of its 95 % confidence interval"),
  maybe("score_high_ns", "double", "upper end of its 95 % confidence interval"),
  maybe("speedup", "double", "runtime of the reference, timed in the same session, divided by the runtime"),
  maybe("speedup_low", "double", "lower end of its 95 % confidence interval"),
  maybe("speedup_high", "double", "upper end of its 95 % confidence interval"),
  maybe(
    "ranked_by",
    "string",
    "speedup, sol_score or fraction_of_peak, by which the leaderboard ranks; null if it ranks by runtime",
  ),
  maybe("ranked_value", "double", "value of that kind; higher is better"),
  maybe("ranked_low", "double", "lower end of its 95 % confidence interval"),
  maybe("ranked_high", "double", "upper end of its 95 % confidence interval"),
  column("noisy", "boolean", "whether the machine was too busy to measure the result"),
  maybe(
    "place",
    "int32",
    "rank on the final leaderboard if it is its account's entry, else null; entries whose confidence intervals overlap share a rank",
  ),
  column("successful", "boolean", "whether it is a ranked run that passed"),
  column(
    "gives_score",
    "boolean",
    "whether the final leaderboard takes the score of its submission from this row; of a submission with re-runs one row at most",
  ),
  column("deduplicated", "boolean", "whether it is the row kept by deduplication for its user, code and leaderboard"),
  maybe("device", "string", "name of the device, as reported by the runner"),
  maybe("tester_version", "string", "version of the judge"),
  column("unsandboxed", "boolean", "whether it was judged without the sandbox"),
  maybe(
    "in_use",
    "string",
    "validated or not_validated: whether the source works in every case of the problem's application, a program that uses " +
      "the kernel; null if it has not run there",
  ),
  maybe("in_use_held", "int32", "number of cases of the application in which it works"),
  maybe("in_use_cases", "int32", "number of cases of the application; 0 if it failed before the first"),
  maybe("in_use_speedup", "double", "its speedup over the reference in the application; null if no case holds"),
] as const;

/** One row for each case of each stage of the final attempt. */
const SAMPLES = [
  column("submission_id", "int64", "as in submissions.parquet"),
  column("run_id", "int64", "as in submissions.parquet"),
  column("stage", "string", "test, benchmark or ranked"),
  column("case_index", "int32", "number of the case in its stage, from 0"),
  column("parameters", "string", "parameters of the case, as JSON; without seeds"),
  column("status", "string", "passed, failed or skipped"),
  maybe("bytes", "double", "bytes that the case must move, declared by the problem"),
  maybe("operations", "double", "operations that the case must perform, declared by the problem"),
  column("round", "int32s", "round of each sample of the submission; the rounds of a case are spread over time"),
  column(
    "candidate_ns",
    "doubles",
    "samples of the submission: runtimes in nanoseconds by the judge's clock; empty if the problem's own harness timed",
  ),
  column("reference_round", "int32s", "round of each sample of the reference"),
  column(
    "reference_ns",
    "doubles",
    "samples of the reference in nanoseconds, alternating with those of the submission",
  ),
  maybe(
    "harness_runs",
    "int64",
    "number of calls timed by the problem's own harness with its own clock; this and the following columns are null if the " +
      "judge timed the case, or the harness does not report the value",
  ),
  maybe("harness_mean_ns", "double", "mean of these calls in nanoseconds: the runtime that ranks"),
  maybe("harness_std_ns", "double", "standard deviation of these calls in nanoseconds"),
  maybe("harness_err_ns", "double", "standard error of the mean in nanoseconds"),
  maybe("harness_best_ns", "double", "shortest of these calls in nanoseconds"),
  maybe("harness_worst_ns", "double", "longest of these calls in nanoseconds"),
] as const;

/** One row for each distinct source. */
const CODE = [
  column("code_sha256", "string", "SHA-256 of the source in UTF-8, in hexadecimal"),
  column("code_id", "int64", "first 63 bits of code_sha256"),
  column("code_bytes", "int32", "size in bytes"),
  column("language", "string", "python, cpp or cuda"),
  column("code", "string", "source code"),
] as const;

/** Exactly the columns of the existing corpus, so that its readers can read these files. */
const CORPUS = [
  column("submission_id", "int64", "as in submissions.parquet"),
  column("leaderboard_id", "int64", "number of the problem"),
  column("problem_name", "string", "name of the problem"),
  column("user_id", "string", "as in submissions.parquet"),
  column("user_name", "string", "as in submissions.parquet"),
  column("code_id", "int64", "as in submissions.parquet"),
  column("file_name", "string", "as in submissions.parquet"),
  column("submission_time", "timestamp", "time of submission"),
  column("status", "string", "succeeded, failed or cancelled"),
  maybe("score", "double", "runtime that ranks, in seconds; null unless it is a ranked run that passed"),
  maybe("passed", "boolean", "whether it passed; null if it was not judged"),
  maybe("mode", "string", "leaderboard for a ranked run; test, benchmark or profile"),
  maybe("runner", "string", "target"),
  column("code", "string", "source code"),
] as const;

const PROBLEMS = [
  column("problem_id", "int64", "number of the problem"),
  column("problem", "string", "name of the problem"),
  column("problem_version", "string", "SHA-256 of its files and parameters; one row for each version with runs"),
  column("current", "boolean", "whether it is the version that the leaderboards show"),
  column("competition", "string", "name of the competition"),
  column("description", "string", "statement in Markdown"),
  column("language", "string", "python or cpp"),
  column("reference", "string", "source code of the reference"),
  column("spec", "string", "parameters, tests and benchmarks as JSON"),
  column("created_at", "timestamp", "creation time of the version"),
] as const;

const BOARDS = [
  column("competition", "string", "name of the competition"),
  column("problem_id", "int64", "number of the problem"),
  column("problem", "string", "name of the problem"),
  column("problem_version", "string", "version that the leaderboard shows"),
  column("target", "string", "type of device"),
  column("opened_at", "timestamp", "start of the competition"),
  column("closed_at", "timestamp", "end of the competition"),
  column("entries", "int32", "number of accounts with a score, including those whose rows are not in this snapshot"),
  maybe("best_score_ns", "double", "runtime of the best entry, in nanoseconds"),
  maybe("ranked_by", "string", "as in submissions; null if the leaderboard ranks by runtime"),
  maybe("best_ranked_value", "double", "ranked_value of the best entry; null if the leaderboard ranks by runtime"),
] as const;

/** One row for each problem, like the file of this name in the existing corpus. */
const LEADERBOARDS = [
  column("id", "int64", "number of the problem"),
  column("name", "string", "name of the problem"),
  column("deadline", "timestamp", "end of the competition"),
  column("lang", "string", "language of its submissions"),
  column("description", "string", "statement in Markdown"),
  column("reference", "string", "source code of the reference"),
  column("gpu_types", "strings", "targets of its leaderboards"),
] as const;

/** Columns of each kind of file, in order. */
export const COLUMNS = {
  submissions: SUBMISSIONS,
  samples: SAMPLES,
  code: CODE,
  corpus: CORPUS,
  problems: PROBLEMS,
  boards: BOARDS,
  leaderboards: LEADERBOARDS,
} as const satisfies Record<FileKind, readonly Column[]>;

/** JavaScript type that a writer accepts for each column type. */
interface Values {
  int64: bigint;
  int32: number;
  double: number;
  boolean: boolean;
  /** Text, or its UTF-8 bytes. */
  string: string | Uint8Array;
  /** Date, or microseconds since 1970 as a bigint. */
  timestamp: Date | bigint;
  doubles: readonly number[];
  strings: readonly string[];
  int32s: readonly number[];
}

/** Row of a file of this kind, for writing. */
export type Row<Kind extends FileKind> = {
  [C in (typeof COLUMNS)[Kind][number] as C["name"]]: Values[C["type"]] | (C["nullable"] extends true ? null : never);
};

/**
 * Partition of the rows with code into four files. The published variants are unions of them, so each source is written
 * once.
 */
export const CORPUS_PARTS = {
  deduplicated_successful: { deduplicated: true, successful: true },
  deduplicated_other: { deduplicated: true, successful: false },
  repeated_successful: { deduplicated: false, successful: true },
  repeated_other: { deduplicated: false, successful: false },
} as const;
export type CorpusPart = keyof typeof CORPUS_PARTS;

/** Variants of the rows with code, and the parts that each consists of. */
export const CORPUS_VARIANTS: Record<string, readonly CorpusPart[]> = {
  submissions: ["deduplicated_successful", "deduplicated_other", "repeated_successful", "repeated_other"],
  successful_submissions: ["deduplicated_successful", "repeated_successful"],
  deduplicated_submissions: ["deduplicated_successful", "deduplicated_other"],
  deduplicated_successful_submissions: ["deduplicated_successful"],
};

/** Deduplication rule, for the card and the manifest. */
export const DEDUPLICATION_RULE =
  "Of the rows with the same user, code and leaderboard (a problem on a target), one is kept: successful rows first, then by the best score, then the earliest. Codes are equal if the SHA-256 of their UTF-8 bytes is the same. A successful row is a ranked run that passed.";

/** Returns the files of a competition, with their paths inside a snapshot. */
export function competitionFiles(competition: string): { path: string; kind: FileKind }[] {
  return [
    { path: `${competition}/submissions.parquet`, kind: "submissions" },
    { path: `${competition}/samples.parquet`, kind: "samples" },
    { path: `${competition}/code.parquet`, kind: "code" },
    ...Object.keys(CORPUS_PARTS).map((part) => ({
      path: `${competition}/corpus/${part}.parquet`,
      kind: "corpus" as const,
    })),
  ];
}

/** Files shared by all competitions of a snapshot. */
export const SHARED_FILES: { path: string; kind: FileKind }[] = [
  { path: "problems.parquet", kind: "problems" },
  { path: "boards.parquet", kind: "boards" },
  { path: "leaderboards.parquet", kind: "leaderboards" },
];
