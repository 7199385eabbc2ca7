/** JavaScript values of columns. */
import type { ParquetParsers } from "hyparquet";

/**
 * Value of a column. Integers are numbers if exactly representable, else BigInts. Timestamps are strings in UTC with
 * microseconds, `2026-03-01T12:00:00.000000Z`, which sort chronologically and lose no precision.
 */
export type Value = string | number | bigint | boolean | null | Uint8Array | Value[] | { [name: string]: Value };
export type Row = Record<string, Value>;

const MICROS = 1_000_000n;

export function moment(micros: bigint): string {
  const seconds = micros / MICROS - (micros % MICROS < 0n ? 1n : 0n);
  const date = new Date(Number(seconds) * 1000);
  if (Number.isNaN(date.getTime())) return "";
  return `${date.toISOString().slice(0, -4)}${String(micros - seconds * MICROS).padStart(6, "0")}Z`;
}

/** Decodes UTF-8. A byte order mark is kept, so that the text matches its stored hash. */
function text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

/** Parsers for the minimum and maximum values of row groups, which conditions are compared with. */
export const PARSERS: Partial<ParquetParsers> = {
  timestampFromMilliseconds: (millis: bigint) => moment(millis * 1000n),
  timestampFromMicroseconds: moment,
  timestampFromNanoseconds: (nanos: bigint) => moment(nanos / 1000n),
  // The reader calls this for missing values, too.
  stringFromBytes: (bytes: Uint8Array | undefined) => (bytes === undefined ? undefined : text(bytes)),
};

/**
 * Parsers for rows: timestamps stay microseconds until a row is selected, since most of a row group may be read for few
 * rows.
 */
export const ROW_PARSERS: Partial<ParquetParsers> = {
  ...PARSERS,
  timestampFromMilliseconds: (millis: bigint) => millis * 1000n,
  timestampFromMicroseconds: (micros: bigint) => micros,
  timestampFromNanoseconds: (nanos: bigint) => nanos / 1000n,
};

export function valueOf(raw: unknown): Value {
  if (raw === undefined || raw === null) return null;
  if (typeof raw === "bigint") return Number.isSafeInteger(Number(raw)) ? Number(raw) : raw;
  if (typeof raw !== "object") return raw as Value;
  if (raw instanceof Uint8Array) return raw;
  if (raw instanceof Date) return raw.toISOString();
  if (Array.isArray(raw) || ArrayBuffer.isView(raw)) return Array.from(raw as ArrayLike<unknown>, valueOf);
  return Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, valueOf(value)]));
}
