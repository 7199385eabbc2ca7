/** Schemas of parameters that several contracts have. */
import { CompetitionName } from "@kernelbot/core";
import { z } from "zod";

/**
 * Returns a schema for an integer from `least` to `most`. Strings must be decimal digits: other notations that
 * JavaScript accepts, such as `1e3`, are rejected.
 */
export function wholeNumber(least: number, most: number) {
  const what = `use a whole number from ${least} to ${most}`;
  return z.preprocess(
    (value: number | string) => (typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value),
    z.int(what).min(least, what).max(most, what),
  );
}

/** Returns a schema for the maximum number of items in a response. */
export function limit(preset: number, most: number) {
  return wholeNumber(1, most).default(preset).describe(`Default ${preset}`);
}

/** Returns a schema for a query parameter that may be repeated up to `most` times; a single value becomes a list. */
export function repeated<Shape extends z.ZodType>(shape: Shape, most: number) {
  return z.preprocess(
    (value: string | readonly string[]) => (typeof value === "string" ? [value] : value),
    z.array(shape).max(most, `at most ${most} at once`),
  );
}

/** Path parameter with the number of a submission, run or other row. */
export const Id = z.object({ id: wholeNumber(1, Number.MAX_SAFE_INTEGER) });

/** Number after which an event stream resumes. Event numbers are 32-bit. */
export const After = z.object({ after: wholeNumber(0, 2 ** 31 - 1).optional() });

/** Number of the last event that a reader received, as browsers send it when they reconnect. */
export const LastEventId = z.object({
  "last-event-id": z.string().optional().describe("Resumes after this event number; overrides `after`"),
});

export const OfCompetition = z.object({
  competition: CompetitionName.optional().describe("Only boards of this competition, which may be unlisted"),
});
