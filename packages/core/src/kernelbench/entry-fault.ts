/** Faults of submission files, and helpers of the checks. */
import { cleaned, oneLine } from "../text/text.ts";
import type { EntryFault } from "./entry.ts";

/** Fault that rejects the file. */
export const error = (key: string | null, what: string): EntryFault => ({ severity: "error", key, what });
/** Fault that does not reject the file. */
export const warning = (key: string | null, what: string): EntryFault => ({ severity: "warning", key, what });

/** Sanitizes a fault for display: its key is untrusted text. */
export function shown(fault: EntryFault): EntryFault {
  if (fault.key === null) return fault;
  const key = fault.key.length <= 100 ? fault.key : `${fault.key.slice(0, 99)}…`;
  return { ...fault, key: oneLine(cleaned(key)).toWellFormed() };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the size of a text in bytes of UTF-8. */
export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Lists the names of members that are not in `known`. */
export function namesBeside(value: Record<string, unknown>, known: readonly string[]): string[] {
  return Object.keys(value).filter((name) => !known.includes(name));
}
