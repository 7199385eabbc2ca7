/** Detection of a file's kind by its columns. */
import type { FileKind } from "../columns.ts";
import type { ParquetFile } from "../parquet/file.ts";
import { CORPUS_FAMILY } from "./corpus.ts";
import { FACTS_FAMILY } from "./facts.ts";
import { checkFamily, type Family } from "./row-format.ts";
import { LEGACY_FAMILY } from "./legacy.ts";

/** Kind of a file. `legacy`: the oldest files of the corpus, which no snapshot contains. */
export type DatasetFileKind = FileKind | "legacy";

/** Combinations of columns that occur only in files of that kind. */
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

/** Returns the kind of a file; null if unknown. */
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
 * Returns the family that reads a file's rows; null for a file without submissions.
 * @throws DatasetError when it appears to contain submissions, but a column is missing or of another type.
 */
export function familyOf(file: ParquetFile): Family | null {
  const kind = kindOf(file);
  const family = kind === null ? undefined : FAMILIES[kind];
  if (family === undefined) return null;
  checkFamily(family, file);
  return family;
}
