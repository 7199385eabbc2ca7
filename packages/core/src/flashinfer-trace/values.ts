/**
 * Values of FlashInfer Trace documents, as leniently read as by the models of their authors: `4.0`, `"4"` and `true` are
 * whole numbers, and unknown fields are ignored.
 */
import { z } from "zod";

export const Text = z.string().min(1, "must not be empty");

/** Whole number of at least 0. */
export const Size = z.unknown().transform((value, context): number => {
  const number = typeof value === "boolean" || isNumeral(value) ? Number(value) : value;
  if (typeof number === "number" && Number.isSafeInteger(number) && number >= 0) return number;
  context.addIssue({ code: "custom", message: `must be a whole number of at least 0, not ${formatValue(value)}` });
  return z.NEVER;
});

/** Truth value; `1`, `"true"` and `"yes"` count as well. */
export const Truth = z.unknown().transform((value, context): boolean => {
  if (typeof value === "boolean") return value;
  const word = String(value).toLowerCase();
  if (["1", "true", "t", "yes", "y", "on"].includes(word)) return true;
  if (["0", "false", "f", "no", "n", "off"].includes(word)) return false;
  context.addIssue({ code: "custom", message: `must be true or false, not ${formatValue(value)}` });
  return z.NEVER;
});

/** Name of an input, an output or an axis: a parameter of a Python function. */
export const Identifier = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be a Python identifier");

/** Text that may be null or missing. */
export const OptionalText = z.string().nullish();

function isNumeral(value: unknown): value is string {
  return typeof value === "string" && /^\s*[+-]?\d+(?:\.0*)?\s*$/.test(value);
}

/** Formats a value for a message: JSON of at most 60 characters. */
export function formatValue(value: unknown): string {
  if (value === undefined) return "missing";
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/**
 * Adds the type that an object without `type` has: the first key that is present decides.
 * @param types from the keys that decide to the type
 * @param otherwise type of an object with none of these keys
 */
export function withType(types: Readonly<Record<string, string>>, otherwise: string) {
  return (value: unknown): unknown => {
    if (typeof value !== "object" || value === null || Array.isArray(value) || "type" in value) return value;
    const key = Object.keys(types).find((name) => name in value);
    return { ...value, type: key === undefined ? otherwise : types[key] };
  };
}
