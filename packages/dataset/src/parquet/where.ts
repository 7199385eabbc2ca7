/** Selection of rows by the values of columns. */
import type { ParquetQueryFilter } from "hyparquet";
import { valueOf, type Value } from "./values.ts";

type Comparable = string | number | bigint;

/**
 * Condition on a value; all its members must hold. For a null value only `isNull` can hold, and comparisons between
 * types never hold.
 */
export interface Condition {
  oneOf?: Iterable<Comparable | boolean>;
  atLeast?: Comparable;
  moreThan?: Comparable;
  atMost?: Comparable;
  lessThan?: Comparable;
  isNull?: boolean;
}

/** Conditions by column; a row is selected when all hold. */
export type Where = Record<string, Condition>;

/** Returns the condition as a predicate. */
export function testOf({ oneOf, atLeast, moreThan, atMost, lessThan, isNull }: Condition): (value: Value) => boolean {
  const values = oneOf === undefined ? undefined : new Set(Array.from(oneOf, valueOf));
  const bounded = [atLeast, moreThan, atMost, lessThan].some((bound) => bound !== undefined);
  return (value) => {
    if (isNull !== undefined && (value === null) !== isNull) return false;
    if (value === null) return values === undefined && !bounded;
    return (
      (values === undefined || values.has(value)) &&
      (atLeast === undefined || compare(value, atLeast) >= 0) &&
      (moreThan === undefined || compare(value, moreThan) > 0) &&
      (atMost === undefined || compare(value, atMost) <= 0) &&
      (lessThan === undefined || compare(value, lessThan) < 0)
    );
  };
}

/** Compares two values; NaN when they are not comparable, so that no comparison holds. */
function compare(value: Value, bound: Comparable): number {
  const comparable = isNumeric(value) ? isNumeric(bound) : typeof value === "string" && typeof bound === "string";
  if (!comparable) return NaN;
  return (value as Comparable) < bound ? -1 : (value as Comparable) > bound ? 1 : value == bound ? 0 : NaN;
}

function isNumeric(value: Value): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

/**
 * Maximum number of values compared with the minimum and maximum of each row group; more values are usually spread over
 * all groups.
 */
const COMPARED_VALUES = 50;

/** Returns the filter for the Parquet reader, which skips row groups whose minimum and maximum exclude every row. */
export function pruningFilter(where: Where): ParquetQueryFilter {
  const conditions = Object.entries(where).flatMap(([column, { oneOf, atLeast, moreThan, atMost, lessThan }]) => {
    const values = oneOf === undefined ? undefined : [...oneOf];
    return [
      ...(values === undefined || values.length > COMPARED_VALUES ? [] : [{ [column]: { $in: values } }]),
      ...(atLeast === undefined ? [] : [{ [column]: { $gte: atLeast } }]),
      ...(moreThan === undefined ? [] : [{ [column]: { $gt: moreThan } }]),
      ...(atMost === undefined ? [] : [{ [column]: { $lte: atMost } }]),
      ...(lessThan === undefined ? [] : [{ [column]: { $lt: lessThan } }]),
    ];
  });
  return { $and: conditions };
}
