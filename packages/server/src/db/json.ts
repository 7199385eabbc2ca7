import { sql, type RawBuilder } from "kysely";

/**
 * Returns a value as a json parameter. NUL and lone surrogates are valid in JavaScript strings but not in PostgreSQL
 * text; they only occur in untrusted output, and are replaced by U+FFFD. The type is json, not jsonb, because jsonb
 * reorders keys and cases are shown in their author's order.
 */
export function json<T>(value: T): RawBuilder<T> {
  return sql<T>`${jsonText(value)}::text::json`;
}

/** Returns JSON that PostgreSQL can store. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === "string" ? storableText(inner) : inner));
}

/** Returns text that PostgreSQL can store. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\uFFFD");
}
