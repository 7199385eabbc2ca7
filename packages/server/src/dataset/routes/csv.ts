import { ANALYSES, type AnalysisKind } from "@kernelbot/core";

/** Formats a table as CSV (RFC 4180) with the columns of its kind. Nulls are empty; lists are JSON. */
export function csv(kind: AnalysisKind, rows: readonly object[]): string {
  const names = Object.keys(ANALYSES[kind].shape);
  const lines = rows.map((row) => names.map((name) => cell((row as Record<string, unknown>)[name])).join(","));
  return [names.join(","), ...lines, ""].join("\r\n");
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  // A leading quote keeps spreadsheets from evaluating the text as a formula; names are user input.
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
