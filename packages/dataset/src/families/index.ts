/** What a file is, told by its columns. */
import type { FileKind } from "../columns.ts";
import type { ParquetFile } from "../parquet/file.ts";
import { CORPUS_FAMILY } from "./corpus.ts";
import { FACTS_FAMILY } from "./facts.ts";
import { checkFamily, type Family } from "./family.ts";
import { LEGACY_FAMILY } from "./legacy.ts";

/** `legacy`: the oldest files of the corpus, which no snapshot has. */
export type DatasetFileKind = FileKind | "legacy";

/** Columns that only files of that kind have together. */
const MARKS: readonly (readonly [DatasetFileKind, readonly string[]])[] = [
  ["submissions", ["submission_id", "score_ns", "code_sha256"]],
  ["samples", ["run_id", "candidate_ns", "reference_ns"]],
  ["legacy", ["submission_id", "run_mode", "run_passed"]],
  ["corpus", ["submission_id", "problem_name", "submission_time"]],
  ["code", ["code_sha256", "code"]],
  ["problems", ["problem_version", "reference", "spec"]],
  ["boards", ["problem_version", "target", "entries"]],
  ["leaderboards", ["id", "name", "deadline"]],
];

/** Null for a file that is none of ours. */
export function kindOf(file: ParquetFile): DatasetFileKind | null {
  const names = new Set(file.columns.map(({ name }) => name));
  return MARKS.find(([, marks]) => marks.every((name) => names.has(name)))?.[0] ?? null;
}

const FAMILIES: Partial<Record<DatasetFileKind, Family>> = {
  submissions: FACTS_FAMILY,
  corpus: CORPUS_FAMILY,
  legacy: LEGACY_FAMILY,
};

/**
 * How the rows of a file are read; null for a file that does not tell of submissions.
 * @throws DatasetError where it looks like one that does, but a column is missing or of another type.
 */
export function familyOf(file: ParquetFile): Family | null {
  const kind = kindOf(file);
  const family = kind === null ? undefined : FAMILIES[kind];
  if (family === undefined) return null;
  checkFamily(family, file);
  return family;
}
