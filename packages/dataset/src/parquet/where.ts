/** Which rows are wanted, by the values of columns. */
import type { ParquetQueryFilter } from "hyparquet";
import { valueOf, type Value } from "./values.ts";

type Comparable = string | number | bigint;

/** What holds of a value; all of it must. Of a missing value nothing but `isNull` holds, and nothing between types. */
export interface Condition {
  oneOf?: Iterable<Comparable | boolean>;
  atLeast?: Comparable;
  moreThan?: Comparable;
  atMost?: Comparable;
  lessThan?: Comparable;
  isNull?: boolean;
}

/** A condition for each of some columns; a row is wanted where all hold. */
export type Where = Record<string, Condition>;

/** The condition as a test of values. */
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

/** Not a number where the two cannot be compared: no comparison holds then. */
function compare(value: Value, bound: Comparable): number {
  const comparable = isNumeric(value) ? isNumeric(bound) : typeof value === "string" && typeof bound === "string";
  if (!comparable) return NaN;
  return (value as Comparable) < bound ? -1 : (value as Comparable) > bound ? 1 : value == bound ? 0 : NaN;
}

function isNumeric(value: Value): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

/** So many values are compared with the least and greatest of each row group; more are spread over all groups anyway. */
const COMPARED_VALUES = 50;

/** The same for the reader, which leaves out row groups whose least and greatest values show that no row is wanted. */
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
