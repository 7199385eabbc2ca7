/** Schema of a moment in configuration files: a complete ISO 8601 date and time in UTC. */
import { z } from "zod";

const EXAMPLE = "in UTC, such as 2026-03-01T12:00:00Z";

export const UtcDateTime = z.iso
  .datetime({ error: ({ input }) => utcDateTimeError(input) })
  .refine((moment) => Date.parse(moment) > 0, "use a time after 1970");

function utcDateTimeError(input: unknown): string {
  if (input === undefined) return `it is missing; write a time ${EXAMPLE}`;
  if (typeof input !== "string") return `use a time ${EXAMPLE}`;
  const quoted = JSON.stringify(input.length > 40 ? `${input.slice(0, 39)}…` : input);
  if (/^\d{4}-\d\d-\d\d$/.test(input)) return `${quoted} has no time of day; use a time ${EXAMPLE}`;
  if (/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(input)) {
    return `${quoted} has no time zone; use a time ${EXAMPLE}`;
  }
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?[+-]\d\d:?\d\d$/.test(input)) {
    return `${quoted} is not in UTC; use a time ${EXAMPLE}`;
  }
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z$/.test(input)) {
    return `${quoted} does not exist; use a time ${EXAMPLE}`;
  }
  return `${quoted} is not a valid time; use a time ${EXAMPLE}`;
}
