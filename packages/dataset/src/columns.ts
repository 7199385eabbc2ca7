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
    "number of the submission; of an anonymous one a number of its own that joins the files of a snapshot",
  ),
  column("run_id", "int64", "number of the run; of an anonymous one likewise"),
  column(
    "rerun",
    "int32",
    "0 for the run that stands for the submission on this problem_version: the one that was asked for, or that was carried over " +
      "from an earlier version; n for the nth time that it was run again there with a seed of its own",
  ),
  column("competition", "string", "name of the competition"),
  column("problem_id", "int64", "number of the problem"),
  column("problem", "string", "name of the problem"),
  column("problem_version", "string", "SHA-256 of the problem's files and parameters that it was judged by"),
  column("target", "string", "kind of device"),
  column("user_id", "string", "the account; a pseudonym where the row is anonymous"),
  column("user_name", "string", "its name; a pseudonym where the row is anonymous"),
  column("anonymous", "boolean", "whether account, name, numbers and file name are replaced"),
  column("author_kind", "string", "who wrote it, as declared: undeclared, human, assisted, autonomous"),
  maybe("model", "string", "the model that wrote it or helped, as declared"),
  column("licence", "string", "SPDX identifier of the licence under which its author lets it be published"),
  column("mode", "string", "test, benchmark, ranked, profile or duel"),
  column("file_name", "string", "as it was submitted"),
  column("code_id", "int64", "the first 63 bits of code_sha256"),
  column("code_sha256", "string", "SHA-256 of the source in UTF-8, in hexadecimal: joins code.parquet"),
  column("code_bytes", "int32", "size of the source in bytes"),
  column("submitted_at", "timestamp", "when it was accepted"),
  maybe("started_at", "timestamp", "when a runner began its last attempt"),
  maybe("finished_at", "timestamp", "when its verdict was known"),
  column("attempts", "int32", "how often a runner claimed it"),
  column("state", "string", "done or cancelled"),
  maybe("verdict", "string", "passed, failed, quarantined or infra_error; null where it was cancelled"),
  maybe(
    "failure_class",
    "string",
    "compile_error, crash, wrong_result, timeout, out_of_memory or rejected, where it failed",
  ),
  maybe("score_ns", "double", "time that ranks, in nanoseconds, of a ranked run that passed"),
  maybe("score_low_ns", "double", "lower end of its interval"),
  maybe("score_high_ns", "double", "upper end of its interval"),
  maybe("speedup", "double", "how many times faster than the reference, timed in the same session"),
  maybe("speedup_low", "double", "lower end of its interval"),
  maybe("speedup_high", "double", "upper end of its interval"),
  maybe(
    "place",
    "int32",
    "its rank on the final board, where it is its account's entry; entries whose intervals overlap share one",
  ),
  column("successful", "boolean", "whether it passed as a ranked run"),
  column("deduplicated", "boolean", "whether it is the row that stands for its user and code on its board"),
  maybe("device", "string", "name of the device that judged it, as its runner describes it"),
  maybe("tester_version", "string", "version of the judge"),
  column("unsandboxed", "boolean", "whether it was judged without the sandbox"),
] as const;

/** One row for each case of each stage of the final attempt. */
const SAMPLES = [
  column("submission_id", "int64", "as in submissions.parquet"),
  column("run_id", "int64", "as in submissions.parquet"),
  column("stage", "string", "test, benchmark or ranked"),
  column("case_index", "int32", "number of the case in its stage, from 0"),
  column("parameters", "string", "the parameters of the case, as JSON; without seeds"),
  column("status", "string", "passed, failed or skipped"),
  maybe("bytes", "double", "bytes that the case must move, as its problem declares"),
  maybe("operations", "double", "operations that it must do, as its problem declares"),
  column("round", "int32s", "the round of each sample of the submission; the rounds of a case are spread over time"),
  column(
    "candidate_ns",
    "doubles",
    "those samples: times in nanoseconds, by the judge's clock; empty where the problem's own harness timed",
  ),
  column("reference_round", "int32s", "the round of each sample of the reference"),
  column("reference_ns", "doubles", "those samples, taken in turn with the submission's"),
  maybe(
    "harness_runs",
    "int64",
    "of a case that the problem's own harness timed, by its own clock: number of timed calls; this column and the next " +
      "are null where our judge timed, and each where the harness does not report it",
  ),
  maybe("harness_mean_ns", "double", "their mean, in nanoseconds as the next four: the time that ranks"),
  maybe("harness_std_ns", "double", "their standard deviation"),
  maybe("harness_err_ns", "double", "the standard error of their mean"),
  maybe("harness_best_ns", "double", "the shortest of them"),
  maybe("harness_worst_ns", "double", "the longest of them"),
] as const;

/** One row for each distinct source. */
const CODE = [
  column("code_sha256", "string", "SHA-256 of the source in UTF-8, in hexadecimal"),
  column("code_id", "int64", "its first 63 bits"),
  column("code_bytes", "int32", "size in bytes"),
  column("language", "string", "python, cpp or cuda"),
  column("code", "string", "the source"),
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
  column("submission_time", "timestamp", "when it was accepted"),
  column("status", "string", "succeeded, failed or cancelled"),
  maybe("score", "double", "time that ranks, in seconds, of a ranked run that passed"),
  maybe("passed", "boolean", "whether it passed; null where it was not judged"),
  maybe("mode", "string", "leaderboard for a ranked run; test, benchmark or profile"),
  maybe("runner", "string", "the target"),
  column("code", "string", "the source"),
] as const;

const PROBLEMS = [
  column("problem_id", "int64", "number of the problem"),
  column("problem", "string", "its name"),
  column("problem_version", "string", "SHA-256 over its files and parameters; a row for each version that runs name"),
  column("current", "boolean", "whether it is the version that the boards show"),
  column("competition", "string", "name of its competition"),
  column("description", "string", "in Markdown"),
  column("language", "string", "python or cpp"),
  column("reference", "string", "source of the reference"),
  column("spec", "string", "its parameters, tests and benchmarks as JSON"),
  column("created_at", "timestamp", "when the version was made"),
] as const;

const BOARDS = [
  column("competition", "string", "name of the competition"),
  column("problem_id", "int64", "number of the problem"),
  column("problem", "string", "its name"),
  column("problem_version", "string", "the version that it shows"),
  column("target", "string", "kind of device"),
  column("opened_at", "timestamp", "when the competition began"),
  column("closed_at", "timestamp", "when it ended"),
  column("entries", "int32", "accounts with a score, those included whose rows are not in this snapshot"),
  maybe("best_score_ns", "double", "the best of them, in nanoseconds"),
] as const;

/** One row for each problem, like the file of this name in the existing corpus. */
const LEADERBOARDS = [
  column("id", "int64", "number of the problem"),
  column("name", "string", "its name"),
  column("deadline", "timestamp", "when its competition ended"),
  column("lang", "string", "language of its submissions"),
  column("description", "string", "in Markdown"),
  column("reference", "string", "source of the reference"),
  column("gpu_types", "strings", "the targets of its boards"),
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
  "Of the rows of one user with one code on one board (a problem on a target), one is kept: a successful one before others, then the smallest score, then the earliest. Two codes are one if the SHA-256 of their UTF-8 bytes is the same. A successful row is a ranked run that passed.";

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
