import { sql, type RawBuilder } from "kysely";

/**
 * A value as a json parameter. A NUL and a lone surrogate are valid in JavaScript's strings but in no text of PostgreSQL;
 * both come only from strangers' output, and become U+FFFD. The type is json and not jsonb, which would reorder keys: cases are
 * shown in their author's order.
 */
export function json<T>(value: T): RawBuilder<T> {
  return sql<T>`${jsonText(value)}::text::json`;
}

/** JSON that PostgreSQL can store. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === "string" ? storableText(inner) : inner));
}

/** Text that PostgreSQL can store. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\uFFFD");
}
