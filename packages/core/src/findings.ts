/** What was wrong with a case, in words for a terminal or a message. */
import type { CaseFinished, Mismatch } from "./tester.ts";
import { oneLine } from "./text.ts";

/** Why a case failed, in a sentence without its end. */
export function caseFinding(result: Pick<CaseFinished, "message" | "mismatch">): string {
  if (result.mismatch !== null) return mismatchWords(result.mismatch);
  return result.message === null ? "no reason was given" : oneLine(result.message);
}

/** `12 of 4,097 elements differ; largest error 0.5, relative 0.1`. */
export function mismatchWords(mismatch: Mismatch): string {
  const counted = `${mismatch.differing.toLocaleString("en-US")} of ${mismatch.total.toLocaleString("en-US")} elements`;
  const errors = [
    mismatch.largestAbsolute !== null && magnitude(mismatch.largestAbsolute),
    mismatch.largestRelative !== null && `relative ${magnitude(mismatch.largestRelative)}`,
  ].filter((part) => part !== false);
  return `${counted} ${mismatch.differing === 1 ? "differs" : "differ"}${errors.length > 0 ? `; largest error ${errors.join(", ")}` : ""}`;
}

function magnitude(error: number): string {
  return error === 0 || (error >= 1e-4 && error < 1e6) ? String(Number(error.toPrecision(3))) : error.toExponential(2);
}

/** What there is to say of a case that passed outside of the tolerance, as the problem's oracle allows; null of all others. */
export function passedByOracle({ status, mismatch }: Pick<CaseFinished, "status" | "mismatch">): string | null {
  if (status !== "passed" || mismatch === null) return null;
  return `as near to float64 as the reference; beside it ${mismatchWords(mismatch)}`;
}

/** Of the places that a mismatch names, how many are shown. */
const SHOWN_PLACES = 3;

/** The first places where the output differs, one a line. */
export function placeLines(mismatch: Mismatch): string[] {
  return mismatch.first
    .slice(0, SHOWN_PLACES)
    .map(({ index, got, expected }) => `at [${index.join(", ")}]: got ${oneLine(got)}, expected ${oneLine(expected)}`);
}
