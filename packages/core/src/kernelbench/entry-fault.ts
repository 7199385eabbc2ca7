/** Faults of a submission file, and what its checks ask of a value. */
import { cleaned, oneLine } from "../text.ts";
import type { EntryFault } from "./entry.ts";

/** It refuses the file. */
export const error = (key: string | null, what: string): EntryFault => fault("error", key, what);
/** It does not. */
export const warning = (key: string | null, what: string): EntryFault => fault("warning", key, what);

/** The key is a stranger's text. */
function fault(severity: EntryFault["severity"], key: string | null, what: string): EntryFault {
  const shown = key === null || key.length <= 100 ? key : `${key.slice(0, 99)}…`;
  return { key: shown === null ? null : oneLine(cleaned(shown)).toWellFormed(), severity, what };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** In UTF-8. */
export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

export function namesBeside(value: Record<string, unknown>, known: readonly string[]): string[] {
  return Object.keys(value).filter((name) => !known.includes(name));
}
