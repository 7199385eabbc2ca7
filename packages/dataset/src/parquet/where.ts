/** Which rows are wanted, by the values of columns. */
import type { ParquetQueryFilter } from "hyparquet";
import type { Row, Value } from "./values.ts";

type Comparable = string | number | bigint;

/** What holds of a value; all of it must. Nothing but `isNull` holds of a missing value, and no comparison between types. */
export interface Condition {
  oneOf?: readonly (Comparable | boolean)[];
  atLeast?: Comparable;
  moreThan?: Comparable;
  atMost?: Comparable;
  lessThan?: Comparable;
  isNull?: boolean;
}

/** A condition for each of some columns; a row is wanted where all hold. */
export type Where = Record<string, Condition>;

export function holds(condition: Condition, value: Value): boolean {
  const { oneOf, atLeast, moreThan, atMost, lessThan, isNull } = condition;
  if (isNull !== undefined && (value === null) !== isNull) return false;
  if (value === null) return isNull === true;
  if (oneOf !== undefined && !oneOf.some((each) => same(each, value))) return false;
  return (
    (atLeast === undefined || compare(value, atLeast) >= 0) &&
    (moreThan === undefined || compare(value, moreThan) > 0) &&
    (atMost === undefined || compare(value, atMost) <= 0) &&
    (lessThan === undefined || compare(value, lessThan) < 0)
  );
}

export function wanted(where: Where, row: Row): boolean {
  return Object.entries(where).every(([column, condition]) => holds(condition, row[column] ?? null));
}

/** A number equals a BigInt of its value. */
function same(one: Value, other: Value): boolean {
  return one === other || (typeof one !== typeof other && isNumeric(one) && isNumeric(other) && one == other);
}

function isNumeric(value: Value): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

/** Not a number where the two cannot be compared: no comparison holds then. */
function compare(value: Value, with_: Comparable): number {
  const comparable = isNumeric(value) ? isNumeric(with_) : typeof value === "string" && typeof with_ === "string";
  if (!comparable) return NaN;
  return (value as Comparable) < with_ ? -1 : (value as Comparable) > with_ ? 1 : same(value, with_) ? 0 : NaN;
}

/** The same for the reader, which leaves out row groups whose least and greatest values show that no row is wanted. */
export function pruningFilter(where: Where): ParquetQueryFilter | undefined {
  const conditions = Object.entries(where).flatMap(
    ([column, { oneOf, atLeast, moreThan, atMost, lessThan, isNull }]) => {
      if (isNull === true) return [];
      return [
        ...(oneOf === undefined ? [] : [{ [column]: { $in: [...oneOf] } }]),
        ...(atLeast === undefined ? [] : [{ [column]: { $gte: atLeast } }]),
        ...(moreThan === undefined ? [] : [{ [column]: { $gt: moreThan } }]),
        ...(atMost === undefined ? [] : [{ [column]: { $lte: atMost } }]),
        ...(lessThan === undefined ? [] : [{ [column]: { $lt: lessThan } }]),
      ];
    },
  );
  return conditions.length === 0 ? undefined : { $and: conditions };
}
