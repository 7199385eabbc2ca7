/** Faults of a submission file, and what its checks ask of a value. */
import { cleaned, oneLine } from "../text.ts";
import type { EntryFault } from "./entry.ts";

/** It refuses the file. */
export const error = (key: string | null, what: string): EntryFault => ({ severity: "error", key, what });
/** It does not. */
export const warning = (key: string | null, what: string): EntryFault => ({ severity: "warning", key, what });

/** A fault as it can be shown: its key is a stranger's text. */
export function shown(fault: EntryFault): EntryFault {
  if (fault.key === null) return fault;
  const key = fault.key.length <= 100 ? fault.key : `${fault.key.slice(0, 99)}…`;
  return { ...fault, key: oneLine(cleaned(key)).toWellFormed() };
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
