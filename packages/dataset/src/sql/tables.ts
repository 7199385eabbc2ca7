/** SQL table: one or more files with the same columns. */
import { basename } from "node:path";
import { CORPUS_PARTS, CORPUS_VARIANTS, type CorpusPart } from "../columns.ts";
import { variantNameOf, type Dataset, type DatasetFile } from "../reader/dataset.ts";
import { DatasetError } from "../error.ts";
import type { FileColumn } from "../parquet/file.ts";

export interface Table {
  name: string;
  files: readonly DatasetFile[];
  /** Union of the files' columns; null for files that lack one. */
  columns: readonly FileColumn[];
}

/**
 * Returns the tables of a dataset: `submissions`, `samples`, `code`, `problems`, `boards` and `leaderboards` named
 * after their files, `corpus` for all rows with code, and its variants. Without facts, `submissions` are the rows of
 * the widest files.
 */
export function tablesOf(dataset: Dataset): Map<string, Table> {
  const of = (kind: DatasetFile["kind"]) => dataset.files.filter((file) => file.kind === kind);
  const wide = (kind: DatasetFile["kind"]) => dataset.rowFiles.filter((file) => file.kind === kind);
  const facts = of("submissions");
  const parts = of("corpus").filter((file) => partOf(file) !== null);
  const corpus =
    parts.length > 0 ? [...parts, ...wide("corpus").filter((file) => partOf(file) === null)] : wide("corpus");
  const variants = Object.entries(CORPUS_VARIANTS).flatMap(([name, members]) => {
    if (name === "submissions") return [];
    const files = of("corpus").filter((file) => {
      const part = partOf(file);
      return part === null ? variantNameOf(file) === name : members.includes(part);
    });
    return [[name, files] as const];
  });
  const named: (readonly [string, readonly DatasetFile[]])[] = [
    ["submissions", facts.length > 0 ? facts : corpus.length > 0 ? corpus : wide("legacy")],
    ["samples", of("samples")],
    ["code", of("code")],
    ["corpus", corpus],
    ...variants,
    ["legacy", wide("legacy")],
    ["problems", of("problems")],
    ["boards", of("boards")],
    ["leaderboards", of("leaderboards")],
  ];
  return new Map(
    named
      .filter(([, files]) => files.length > 0)
      .map(([name, files]) => [name, { name, files, columns: columnsOf(files) }]),
  );
}

/** Returns the tables. @throws DatasetError when there is none. */
export function needTables(dataset: Dataset): Map<string, Table> {
  const tables = tablesOf(dataset);
  if (tables.size === 0) throw new DatasetError(`${dataset.path} has no files that are tables of a dataset`);
  return tables;
}

function partOf(file: DatasetFile): CorpusPart | null {
  const name = basename(file.path, ".parquet");
  return Object.hasOwn(CORPUS_PARTS, name) ? (name as CorpusPart) : null;
}

function columnsOf(files: readonly DatasetFile[]): FileColumn[] {
  const columns = new Map<string, FileColumn>();
  for (const column of files.flatMap((file) => file.columns))
    if (!columns.has(column.name)) columns.set(column.name, column);
  return [...columns.values()];
}
