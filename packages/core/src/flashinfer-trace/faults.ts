/** Faults of FlashInfer Trace documents: each names the file, for JSONL with the line, and the field. */
import type { z } from "zod";
import { quote } from "../errors.ts";

export interface TraceFault {
  /** Path of the file, as `definitions/rmsnorm/rmsnorm_h4096.json`; in JSONL with the line, as `x.jsonl:3`. */
  file: string;
  /** Path of the field, as `axes.rows.value`; empty for the whole document. */
  field: string;
  /** What is wrong and what is expected. */
  what: string;
}

/** Formats a fault as one line: `FILE: FIELD: WHAT`. */
export function formatTraceFault({ file, field, what }: TraceFault): string {
  return [file, ...(field === "" ? [] : [field]), what].join(": ");
}

/** Parses a document with a schema. Returns the document, or null after adding a fault for each faulty field. */
export function parseDocument<T>(schema: z.ZodType<T>, value: unknown, file: string, faults: TraceFault[]): T | null {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) {
    const { message } = issue.code === "invalid_key" ? (issue.issues[0] ?? issue) : issue;
    const what = issue.code === "invalid_type" && message.includes("undefined") ? "is missing" : message;
    faults.push({ file, field: issue.path.map(String).join("."), what });
  }
  return null;
}

/** Parses JSON. Returns undefined after adding a fault. */
export function parseJson(text: string, file: string, faults: TraceFault[]): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    faults.push({ file, field: "", what: `is not JSON: ${quote((error as Error).message)}` });
    return undefined;
  }
}
