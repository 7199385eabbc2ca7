/** Report of the rows that were not imported, or not as they were. */
import { z } from "zod";
import { quote } from "@kernelbot/core";

/** A row of the source that differs here. */
export interface RowFault {
  /** Table of the source, without its schema. */
  table: string;
  /** Key of the row: its id. */
  row: string | number;
  /** Column, or key of a JSON column. */
  field: string;
  reason: string;
  /** `skipped`: the row does not exist here; `changed`: it exists, with another value of the field. */
  outcome: "skipped" | "changed";
}

export interface Report {
  skip(table: string, row: RowFault["row"], field: string, reason: string): void;
  change(table: string, row: RowFault["row"], field: string, reason: string): void;
}

/** Opens a report. @param write Receives each fault as soon as it is known. */
export function openReport(write: (fault: RowFault) => void): Report {
  return {
    skip: (table, row, field, reason) => write({ table, row, field, reason, outcome: "skipped" }),
    change: (table, row, field, reason) => write({ table, row, field, reason, outcome: "changed" }),
  };
}

/** Returns a row of the source; null if it does not match its schema, which is reported. */
export function parseRow<Schema extends z.ZodType>(
  schema: Schema,
  row: unknown,
  { table, report }: { table: string; report: Report },
): z.infer<Schema> | null {
  const parsed = schema.safeParse(row);
  if (parsed.success) return parsed.data;
  const id = (row as { id?: unknown } | null)?.id;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join(".") ?? "";
  const value = (row as Record<string, unknown> | null)?.[String(issue?.path[0])];
  const shown = typeof value === "string" ? `${quote(value.slice(0, 60))}: ` : "";
  report.skip(table, typeof id === "number" ? id : String(id), field, `${shown}${issue?.message ?? "invalid"}`);
  return null;
}
