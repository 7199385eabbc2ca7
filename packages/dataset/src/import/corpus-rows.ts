/** Strict reading of corpus rows for an import; every fault has its row and column. */
import { decodeSource, ImportedRow, KernelBotError } from "@kernelbot/core";
import { CORPUS_FAMILY } from "../formats/corpus.ts";
import { familyOf } from "../formats/index.ts";
import { LEGACY_FAMILY } from "../formats/legacy.ts";
import type { Context, Family } from "../formats/row-format.ts";
import { DatasetError } from "../error.ts";
import type { ParquetFile } from "../parquet/file.ts";
import { requireColumns, readBatches } from "../parquet/read.ts";
import type { Row, Value } from "../parquet/values.ts";

/** Row with its source, instead of the source's index in a batch. */
export interface CorpusRow extends Omit<ImportedRow, "source"> {
  code: string;
  /** Problem name in the file; null when the file has only its number. */
  problemName: string | null;
}

export interface Fault {
  file: string;
  /** Index of the row in the file, from 0. */
  row: number;
  column: string;
  message: string;
}

/** Why a row cannot be imported: `without a run` if it has no mode, `not judged` if it has no outcome. */
export type LeftOut = "without a run" | "not judged";

type ReadRow = { row: CorpusRow } | { faults: Fault[] } | { leftOut: LeftOut };

type Field = Exclude<keyof CorpusRow, "problemName">;

/** Schema family of the corpus, and the columns of its fields. */
interface Corpus {
  family: Family;
  columns: Readonly<Partial<Record<Field | "problemName", string>>>;
  /** Additional columns that are read. */
  more: readonly string[];
  /** Whether user ids are those of Discord accounts. */
  discordUsers: boolean;
}

const EXPORTED: Corpus = {
  family: CORPUS_FAMILY,
  columns: {
    submission: "submission_id",
    problem: "leaderboard_id",
    problemName: "problem_name",
    userId: "user_id",
    userName: "user_name",
    fileName: "file_name",
    mode: "mode",
    target: "runner",
    submittedAt: "submission_time",
    outcome: "passed",
    timeNs: "score",
    code: "code",
  },
  more: ["status"],
  discordUsers: true,
};

const LEGACY: Corpus = {
  family: LEGACY_FAMILY,
  columns: {
    submission: "submission_id",
    run: "run_id",
    problem: "leaderboard_id",
    userId: "user_id",
    fileName: "file_name",
    mode: "run_mode",
    target: "run_system_info",
    submittedAt: "submission_time",
    startedAt: "run_start_time",
    finishedAt: "run_end_time",
    outcome: "run_passed",
    failureClass: "run_result",
    timeNs: "run_score",
    code: "code",
  },
  more: ["run_compilation", "run_meta"],
  discordUsers: false,
};

/** Returns the schema of a corpus file. @throws DatasetError when the file does not belong to the corpus. */
export function corpusOf(file: ParquetFile): Corpus {
  const corpus = [EXPORTED, LEGACY].find(({ family }) => family === familyOf(file));
  if (corpus !== undefined) return corpus;
  throw new DatasetError(`${file.path} is not a file of the corpus: it has no rows with code`);
}

/** Yields the rows of a file in batches, in order. */
export async function* readCorpus(file: ParquetFile, signal?: AbortSignal): AsyncGenerator<ReadRow[]> {
  const corpus = corpusOf(file);
  const columns = [...new Set([...Object.values(corpus.columns), ...corpus.more])];
  requireColumns(file, columns);
  let at = 0;
  for await (const rows of readBatches(file, { columns, signal })) {
    yield rows.map((row) => readRow(corpus, row, file.path, at++));
  }
}

const NO_PROBLEMS: Context = { problems: new Map() };

function readRow({ family, columns }: Corpus, row: Row, file: string, number: number): ReadRow {
  const { fields } = family;
  const of = (field: Field | "problemName"): Value => row[columns[field] ?? ""] ?? null;
  const mode = fields.mode.from(row, NO_PROBLEMS);
  if (mode === "unknown") return { leftOut: "without a run" };
  const outcome = outcomeOf(fields.passed.from(row, NO_PROBLEMS), row);
  if (outcome === null) return { leftOut: "not judged" };
  const { value: code, wrong } = textOf(of("code"));
  const parsed = ImportedRow.safeParse({
    submission: of("submission"),
    run: of("run"),
    problem: of("problem"),
    userId: idText(of("userId")),
    userName: of("userName"),
    fileName: of("fileName"),
    source: 0,
    mode,
    target: targetOf(fields.target.from(row, NO_PROBLEMS)),
    submittedAt: of("submittedAt"),
    startedAt: of("startedAt"),
    finishedAt: of("finishedAt"),
    outcome,
    failureClass: outcome === "failed" ? fields.failureClass.from(row, NO_PROBLEMS) : null,
    timeNs: mode === "ranked" && outcome === "passed" ? timeOf(of("timeNs")) : null,
  });
  const faults = parsed.success
    ? []
    : parsed.error.issues.map(({ path: [field], message }) => ({
        column: columns[field as Field] ?? String(field),
        message,
      }));
  if (wrong !== null) faults.push({ column: "code", message: wrong });
  if (!parsed.success || faults.length > 0) return { faults: faults.map((fault) => ({ file, row: number, ...fault })) };
  const { source: _, ...facts } = parsed.data;
  const name = of("problemName");
  return { row: { ...facts, code, problemName: typeof name === "string" ? name : null } };
}

function outcomeOf(passed: boolean | null, { status }: Row): ImportedRow["outcome"] | null {
  if (passed !== null) return passed ? "passed" : "failed";
  return status === "cancelled" ? "cancelled" : null;
}

function idText(value: Value): Value {
  return typeof value === "number" || typeof value === "bigint" ? String(value) : value;
}

function timeOf(seconds: Value): Value {
  return typeof seconds === "number" ? seconds * 1e9 : seconds;
}

/** Converts a text such as `AMD Instinct MI300X` to a valid target name. */
export function targetOf(text: string): string {
  return (
    text
      .replace(/[^A-Za-z0-9_.-]+/g, "-")
      .replace(/^[^A-Za-z0-9]+|-+$/g, "")
      .slice(0, 40) || "unknown"
  );
}

/** Returns the source; the oldest files contain its bytes. */
function textOf(value: Value): { value: string; wrong: string | null } {
  if (typeof value !== "string" && !(value instanceof Uint8Array)) return { value: "", wrong: "not a text" };
  try {
    return { value: decodeSource(value), wrong: null };
  } catch (error) {
    if (!(error instanceof KernelBotError)) throw error;
    return { value: "", wrong: error.message };
  }
}
