/** Writes a result as a table, JSON, CSV or Parquet, to the terminal or to a file. */
import { writeFile } from "node:fs/promises";
import { writeRows } from "@kernelbot/dataset";
import { UsageError } from "../command/exit.ts";
import { table, type Column } from "../render/table.ts";
import { PLAIN, type Style } from "../output/style.ts";
import { terminalOf } from "../output/terminal.ts";
import { sanitize, jsonDocument } from "../output/text.ts";
import type { Format } from "./options.ts";

export interface Result<Row> {
  rows: readonly Row[];
  /** Columns of the table. Cells are made from rows whose texts contain no control characters. */
  columns: readonly (Column & { cell: (row: Row) => string })[];
  /** Column names in files, in order. */
  names: readonly (keyof Row & string)[];
  /** Text shown instead of an empty table. */
  empty: string;
  /** Lines below the table. */
  below?: (rows: readonly Row[], width: number, style: Style) => string[];
}

export async function emit<Row extends object>(
  result: Result<Row>,
  { format, out }: { format: Format; out: string | undefined },
): Promise<void> {
  if (format === "parquet") {
    if (out === undefined) throw new UsageError("--format parquet requires --out FILE");
    writeRows(out, result.names, result.rows as never);
    return;
  }
  if (out !== undefined) {
    const lines = () => tableLines(result, Infinity, PLAIN).join("\n") + "\n";
    await writeFile(out, format === "json" ? json(result) : format === "csv" ? csv(result) : lines());
    return;
  }
  const { print, width, style } = terminalOf(process.stdout);
  if (format === "table") print(tableLines(result, width, style));
  else if (format === "json") process.stdout.write(json(result));
  else process.stdout.write(process.stdout.isTTY ? csv(sanitize(result)) : csv(result));
}

function tableLines<Row extends object>(result: Result<Row>, width: number, style: Style): string[] {
  if (result.rows.length === 0) return [result.empty];
  const rows = sanitize(result.rows);
  const cells = rows.map((row) => result.columns.map(({ cell }) => cell(row)));
  return [...table(result.columns, cells, width, style), ...(result.below?.(rows, width, style) ?? [])];
}

/** Formats rows as JSON. Integers beyond the precision of a double are strings. */
function json<Row extends object>({ rows }: Result<Row>): string {
  return `${jsonDocument({ rows: rows.map(exact) })}\n`;
}

function exact(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return value.map(exact);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, exact(inner)]));
}

/** Formats rows as CSV following RFC 4180, but with LF line ends. Nulls are empty. */
function csv<Row extends object>({ rows, names }: Result<Row>): string {
  const lines = rows.map((row) => names.map((name) => csvCell(row[name])).join(","));
  return `${[names.map(csvCell).join(","), ...lines].join("\n")}\n`;
}

function csvCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "string" ? value : textOf(exact(value));
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Formats a cell: lists and structs as JSON, strings unchanged. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
