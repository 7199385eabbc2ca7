import { ANALYSES, type AnalysisKind } from "@kernelbot/core";

/** A table as RFC 4180 has it, with the columns of its kind. Nulls are empty; lists are JSON. */
export function csv(kind: AnalysisKind, rows: readonly object[]): string {
  const names = Object.keys(ANALYSES[kind].shape);
  const lines = rows.map((row) => names.map((name) => cell((row as Record<string, unknown>)[name])).join(","));
  return [names.join(","), ...lines, ""].join("\r\n");
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  // A spreadsheet would take it for a formula, and names are anybody's to choose.
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
