/** Faults of submission files, and helpers of the checks. */
import { sanitize, oneLine } from "../text/text.ts";
import type { KernelBenchEntryFault } from "./entry.ts";

/** Fault that rejects the file. */
export const errorFault = (key: string | null, what: string): KernelBenchEntryFault => ({
  severity: "error",
  key,
  what,
});
/** Fault that does not reject the file. */
export const warningFault = (key: string | null, what: string): KernelBenchEntryFault => ({
  severity: "warning",
  key,
  what,
});

/** Sanitizes a fault for display: its key is untrusted text. */
export function sanitizedFault(fault: KernelBenchEntryFault): KernelBenchEntryFault {
  if (fault.key === null) return fault;
  const key = fault.key.length <= 100 ? fault.key : `${fault.key.slice(0, 99)}…`;
  return { ...fault, key: oneLine(sanitize(key)).toWellFormed() };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the size of a text in bytes of UTF-8. */
export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Lists the names of members that are not in `known`. */
export function unknownNames(value: Record<string, unknown>, known: readonly string[]): string[] {
  return Object.keys(value).filter((name) => !known.includes(name));
}
