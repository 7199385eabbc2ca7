/** Writes CSV (RFC 4180) that is safe to open in a spreadsheet. */

/** Returns rows of cells as a CSV document. Nulls are empty; objects and lists are JSON. */
export function csvDocument(rows: readonly (readonly unknown[])[]): string {
  return [...rows.map((row) => row.map(csvCell).join(",")), ""].join("\r\n");
}

function csvCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  // A leading quote keeps spreadsheets from evaluating the text as a formula; names are user input.
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
