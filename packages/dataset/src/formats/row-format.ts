/** Schema family of files: the columns that identify it, and the conversion of its rows to `KernelRow`. */
import { DatasetError } from "../error.ts";
import type { FileColumnType, ParquetFile } from "../parquet/file.ts";
import type { Row, Value } from "../parquet/values.ts";
import type { Where } from "../parquet/where.ts";
import type { KernelField, KernelRow } from "./kernel-row.ts";

/** Data needed for converting rows that the rows do not contain. */
export interface Context {
  /** Names of problems by number, from `leaderboards.parquet`. */
  problems: ReadonlyMap<number, string>;
}

export interface RowFilter {
  problem?: string | undefined;
  target?: string | undefined;
}

/** Source of a field: its columns, null if a file lacks them, and the conversion. */
interface Source<Field extends KernelField> {
  columns: readonly string[];
  from: (row: Row, context: Context) => KernelRow[Field];
}

export interface Family {
  name: string;
  /** Columns that identify the family, with their allowed types. */
  columns: Readonly<Record<string, readonly FileColumnType[]>>;
  fields: { [Field in KernelField]: Source<Field> };
  /** Returns the conditions of a filter that columns can express; remaining rows are filtered after reading. */
  where: (filter: RowFilter, context: Context) => Where;
  /** Returns the condition for rows with one of the sources; null when the files have no code. */
  whereCode: ((codeKeys: readonly string[]) => Where) | null;
}

/**
 * Checks that a file has the family's columns. @throws DatasetError that names the column that is missing or of another
 * type.
 */
export function checkFamily(family: Family, file: ParquetFile): void {
  for (const [name, types] of Object.entries(family.columns)) {
    const column = file.columns.find((each) => each.name === name);
    if (column === undefined) throw new DatasetError(`${file.path} has no column ${name}, but is a ${family.name}`);
    if (types.includes(column.type)) continue;
    throw new DatasetError(`column ${name} of ${file.path} is of type ${column.type}, not ${types.join(" or ")}`);
  }
}

export function text(value: Value | undefined): string {
  return typeof value === "string"
    ? value
    : typeof value === "number" || typeof value === "bigint"
      ? String(value)
      : "";
}

export function number(value: Value | undefined): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

export function whole(value: Value | undefined): number | bigint | null {
  return typeof value === "number" || typeof value === "bigint" ? value : null;
}

export function flag(value: Value | undefined): boolean | null {
  return typeof value === "boolean" ? value : null;
}

/** Returns a member of a struct; null if missing. */
export function part(value: Value | undefined, name: string): Value {
  const known = value !== null && typeof value === "object" && !Array.isArray(value) && !(value instanceof Uint8Array);
  return known && Object.hasOwn(value, name) ? (value[name] ?? null) : null;
}

/** Returns the mode; corpus files use `leaderboard` for `ranked`. */
export function modeOf(value: Value | undefined): string {
  const mode = text(value);
  return mode === "leaderboard" ? "ranked" : mode === "" ? "unknown" : mode;
}

export function nsOf(seconds: Value | undefined): number | null {
  const value = number(seconds);
  return value === null ? null : value * 1e9;
}

/** Returns the numbers of the source keys with the given prefix. */
export function codeIds(beginning: string, keys: readonly string[]): bigint[] {
  return keys.flatMap((key) => {
    const number = key.startsWith(beginning) ? key.slice(beginning.length) : "";
    return /^-?\d+$/.test(number) ? [BigInt(number)] : [];
  });
}
