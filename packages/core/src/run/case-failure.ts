/** Describes failed cases for terminals and messages. */
import type { CaseFinished, Mismatch } from "./tester-protocol.ts";
import { oneLine } from "../text/text.ts";

/** Describes why a case failed, without a final full stop. */
export function formatCaseFailure(result: Pick<CaseFinished, "message" | "mismatch">): string {
  if (result.mismatch !== null) return formatMismatch(result.mismatch);
  return result.message === null ? "no reason was given" : oneLine(result.message);
}

/** Formats a mismatch: `12 of 4,097 elements differ; largest error 0.5, relative 0.1`. */
export function formatMismatch(mismatch: Mismatch): string {
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

/** Describes a case that passed outside the tolerance because the problem's oracle accepted it; null for all others. */
export function formatOracleMismatch({ status, mismatch }: Pick<CaseFinished, "status" | "mismatch">): string | null {
  if (status !== "passed" || mismatch === null) return null;
  return `as close to float64 as the reference; compared with the reference, ${formatMismatch(mismatch)}`;
}

/** Maximum number of differing elements shown. */
const SHOWN_PLACES = 3;

/** Lists the first differing elements, one per line; integers with their difference. */
export function formatDifferences(mismatch: Mismatch): string[] {
  return mismatch.first.slice(0, SHOWN_PLACES).map(({ index, got, expected }) => {
    const values = `got ${oneLine(got)}, expected ${oneLine(expected)}`;
    const areIntegers = [got, expected].every((text) => /^-?\d{1,20}$/.test(text));
    const difference = areIntegers ? `, which differs by ${BigInt(got) - BigInt(expected)}` : "";
    return `at [${index.join(", ")}]: ${values}${difference}`;
  });
}
