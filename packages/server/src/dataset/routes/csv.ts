import { ANALYSES, csvDocument, type AnalysisKind } from "@kernelbot/core";

/** Formats a table as CSV with the columns of its kind. */
export function csv(kind: AnalysisKind, rows: readonly object[]): string {
  const names = Object.keys(ANALYSES[kind].shape);
  return csvDocument([names, ...rows.map((row) => names.map((name) => (row as Record<string, unknown>)[name]))]);
}
