/** Formats the parameters of a case. */
import type { Case } from "./specification.ts";

/** Only parameter that is shown of a hidden case: its number, from 1. `caseLine` formats it. */
export const HIDDEN_CASE = "hidden_case";

/** Formats a case as one line: `size: 127; seed: 4242`, or `hidden case 2`. */
export function caseLine(values: Case): string {
  if (values[HIDDEN_CASE] !== undefined) return `hidden case ${JSON.stringify(values[HIDDEN_CASE])}`;
  return Object.entries(values)
    .map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("; ");
}
