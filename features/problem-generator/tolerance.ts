/** Tolerance of a generated problem: above the error of every honest kernel, below that of a lower precision. */
import { floatTypeOf, type FloatType, type Program } from "./program.ts";

export interface Tolerance {
  rtol: string;
  atol: string;
  reason: string;
}

/** Largest relative error of a rounding to float32. */
const UNIT = 2 ** -24;
/** Relative error of about ten operations in float32, functions such as exp included. */
const OPERATIONS = 1e-5;
/**
 * How many times the typical error of a sum is tolerated. The errors of a sum's roundings add up to about `UNIT *
 * sqrt(terms) / 2` of its result, like steps of a random walk, and 16 of them are not reached by chance.
 */
const SUMS = 8;

/** The distance between neighbouring numbers, relative to them, rounded up; and the names of the types. */
const LOWER: Record<Exclude<FloatType, "float32">, { spacing: string; smallest: number; next: string }> = {
  float16: { spacing: "1e-3", smallest: 1e-7, next: "bfloat16" },
  bfloat16: { spacing: "8e-3", smallest: 0, next: "an 8-bit type" },
};

export function toleranceOf(program: Program): Tolerance {
  const type = floatTypeOf(program);
  if (type === null) return { rtol: "0", atol: "0", reason: "All operations are exact, so integers must be equal." };
  const { terms, magnitude } = program;
  const sum = SUMS * UNIT * Math.sqrt(terms);
  const summed =
    terms === 1
      ? "Operations in float32 err by less than 1e-5."
      : `A sum of ${terms} terms in float32, in any order, errs by about ${upper((UNIT * Math.sqrt(terms)) / 2)} of its result ` +
        `(2^-24 * sqrt(${terms}) / 2); ${upper(OPERATIONS + sum)} is 16 times that, and 1e-5 for the other operations.`;
  const small = magnitude < 1 ? ` Elements may be as small as ${upper(magnitude)}.` : "";
  const atol = magnitude * (OPERATIONS + sum);
  if (type === "float32") {
    const rtol = magnitude < 0.05 ? OPERATIONS + sum : OPERATIONS;
    const lower = " Inputs rounded to TF32 or float16 err by up to 5e-4 of them.";
    return { rtol: upper(rtol), atol: upper(atol), reason: summed + small + lower };
  }
  const { spacing, smallest, next } = LOWER[type];
  return {
    rtol: spacing,
    atol: upper(Math.max(atol, smallest)),
    reason:
      `Results are computed in float32 and rounded once to ${type}, whose neighbours differ by at most ${spacing} of their ` +
      `value: a result near the middle of two may become either. ${next} errs by more. ${summed}${small}`,
  };
}

/** Formats a number with one significant digit, rounded up: `3e-5`. */
function upper(value: number): string {
  const exponent = Math.floor(Math.log10(value));
  const digit = Math.ceil(value / 10 ** exponent - 1e-9);
  return digit === 10 ? `1e${exponent + 1}` : `${digit}e${exponent}`;
}
