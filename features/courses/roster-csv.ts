/** Reads a roster from CSV, as learning platforms and spreadsheets export it. */
import { CsvError, parse } from "csv-parse/sync";
import { KernelBotError, quote } from "@kernelbot/core";
import { MAX_STUDENTS } from "./messages.ts";
import { z } from "zod";
import { toAddress } from "@kernelbot/server/src/auth/email/address.ts";

export interface RosterRow {
  /** In the form of `toAddress`. */
  email: string;
  name: string;
  /** Undefined where the source has no groups: a student keeps the group. */
  group: string | null | undefined;
  /** User of a learning platform, as a placeholder address; undefined in a file. */
  platformUser?: string;
}

const COLUMNS = ["name", "email", "group"] as const;
const SPELLINGS = new Map<string, (typeof COLUMNS)[number]>([
  ["e-mail", "email"],
  ["mail", "email"],
]);

const MAX_LENGTH = 200;
/** Text without control characters. */
const Text = z
  .string()
  .trim()
  .max(MAX_LENGTH)
  .regex(/^\P{C}*$/u);
const Row = z.object({ name: Text.min(1), email: z.string(), group: Text.optional() });

/**
 * Parses CSV with a header line. The separator is a comma, a semicolon or a tab; other columns are ignored.
 * @throws KernelBotError `unprocessable` with the line.
 */
export function parseRoster(csv: string): RosterRow[] {
  let records: { record: unknown; info: { lines: number } }[];
  try {
    records = parse(csv, {
      bom: true,
      columns: toColumns,
      delimiter: delimiterOf(csv),
      info: true,
      max_record_size: 10_000,
      skip_empty_lines: true,
      trim: true,
    }) as unknown as typeof records;
  } catch (error) {
    if (error instanceof CsvError) throw invalid(error.message);
    throw error;
  }
  if (records.length > MAX_STUDENTS)
    throw invalid(`it has ${records.length} students; at most ${MAX_STUDENTS} are allowed`);
  const lines = new Map<string, number>();
  return records.map(({ record, info: { lines: line } }) => {
    const row = toRow(record, line);
    const before = lines.get(row.email);
    if (before !== undefined) throw invalid(`line ${line}: ${row.email} is also in line ${before}`);
    lines.set(row.email, line);
    return row;
  });
}

function toColumns(header: string[]): string[] {
  const names = header.map((title) => title.trim().toLowerCase()).map((title) => SPELLINGS.get(title) ?? title);
  const missing = ["name", "email"].filter((name) => names.filter((each) => each === name).length !== 1);
  if (missing.length > 0) {
    throw invalid(
      `the first line must name the columns name, email and, optionally, group, each once; it is ${quote(header.join(","))}`,
    );
  }
  return names;
}

/** The separator that the header line uses. */
function delimiterOf(csv: string): string {
  const header = csv.slice(0, csv.search(/[\r\n]|$/));
  return [";", "\t"].find((separator) => header.includes(separator)) ?? ",";
}

function toRow(record: unknown, line: number): RosterRow {
  try {
    const row = toRosterRow(record);
    return { ...row, group: row.group ?? null };
  } catch (error) {
    throw invalid(`line ${line}: ${(error as Error).message}`);
  }
}

/** Returns a row of a roster. @throws KernelBotError `unprocessable` for an invalid name, address or group. */
export function toRosterRow(record: unknown): RosterRow {
  const parsed = Row.safeParse(record);
  if (!parsed.success) {
    const column = String(parsed.error.issues[0]?.path[0]);
    throw new KernelBotError("unprocessable", `${column} must have 1 to ${MAX_LENGTH} printable characters`);
  }
  const { name, email, group } = parsed.data;
  return { name, email: toAddress(email), group: group === "" ? null : group };
}

function invalid(what: string): KernelBotError {
  return new KernelBotError("unprocessable", `invalid roster: ${what}`);
}
