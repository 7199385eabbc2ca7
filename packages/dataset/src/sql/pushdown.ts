/** Part of a statement's condition that can be evaluated while rows are read. */
import type { ExprNode } from "squirreling";
import type { Row, Value } from "../parquet/values.ts";
import type { Condition, Where } from "../parquet/where.ts";
import { FUNCTIONS } from "./functions.ts";

interface Pushdown {
  /** Conditions by which the reader skips whole row groups. */
  where: Where;
  /** Columns that `test` uses. */
  columns: string[];
  /** True for every row that satisfies the whole condition; may be true for others. */
  test: (row: Row) => boolean;
  /** Whether `test` is the whole condition, so that the engine need not evaluate it. */
  complete: boolean;
}

/** SQL truth value: true, false, or null for unknown. */
type Truth = boolean | null;
type Test = (row: Row) => Truth;
interface Names {
  own: Columns;
  used: Set<string>;
}

/** Whether a name is a column of the table that is read. */
export type Columns = (name: string, prefix: string | undefined) => boolean;

/** Extracts the parts of a condition joined by AND; unsupported parts are left to the engine. */
export function pushdownOf(condition: ExprNode | undefined, own: Columns): Pushdown {
  const parts = condition === undefined ? [] : conjuncts(condition);
  const columns = new Set<string>();
  const tests: Test[] = [];
  const where: Where = {};
  let complete = true;
  for (const part of parts) {
    const names: Names = { own, used: new Set() };
    const test = testOf(part, names);
    if (test === null) complete = false;
    else {
      tests.push(test);
      for (const name of names.used) columns.add(name);
      const [column, bound] = boundOf(part) ?? [];
      // Of several bounds on one column the first prunes; all of them are tested.
      if (column !== undefined && bound !== undefined) where[column] = { ...bound, ...where[column] };
    }
  }
  return { where, columns: [...columns], test: (row) => tests.every((test) => test(row) === true), complete };
}

function conjuncts(node: ExprNode): ExprNode[] {
  return node.type === "binary" && node.op === "AND" ? [...conjuncts(node.left), ...conjuncts(node.right)] : [node];
}

/** Returns the test of a condition; null when it has an unsupported part. */
function testOf(node: ExprNode, names: Names): Test | null {
  if (node.type === "binary") {
    if (node.op !== "AND" && node.op !== "OR") {
      return comparison(node.op, valueOf(node.left, names), valueOf(node.right, names));
    }
    return both(testOf(node.left, names), testOf(node.right, names), node.op === "AND" ? and : or);
  }
  if (node.type === "unary") {
    if (node.op === "NOT") {
      const test = testOf(node.argument, names);
      return test && ((row) => not(test(row)));
    }
    const value = valueOf(node.argument, names);
    if (value === null || (node.op !== "IS NULL" && node.op !== "IS NOT NULL")) return null;
    return (row) => (value(row) === null) === (node.op === "IS NULL");
  }
  if (node.type === "in valuelist") {
    const value = valueOf(node.expr, names);
    const values = node.values.map((each) => literal(each));
    if (value === null || values.includes(undefined)) return null;
    return (row) => values.reduce<Truth>((any, each) => or(any, equal(value(row), each as Value)), false);
  }
  if (node.type === "function") {
    const apply = FUNCTIONS[node.funcName.toUpperCase()]?.apply;
    const [one, other] = node.args.map((each) => valueOf(each, names));
    return apply === undefined || !one || !other ? null : (row) => apply(one(row), other(row)) as Truth;
  }
  const value = node.type === "identifier" ? valueOf(node, names) : null;
  return value && ((row) => truth(value(row)));
}

function both(one: Test | null, other: Test | null, join: (one: Truth, other: Truth) => Truth): Test | null {
  return one && other && ((row) => join(one(row), other(row)));
}

function and(one: Truth, other: Truth): Truth {
  return one === false || other === false ? false : one === null || other === null ? null : true;
}

function or(one: Truth, other: Truth): Truth {
  return one === true || other === true ? true : one === null || other === null ? null : false;
}

function not(truth: Truth): Truth {
  return truth === null ? null : !truth;
}

function truth(value: Value): Truth {
  return typeof value === "boolean" ? value : null;
}

function valueOf(node: ExprNode, names: Names): ((row: Row) => Value) | null {
  if (node.type === "identifier") {
    if (!names.own(node.name, node.prefix)) return null;
    names.used.add(node.name);
    return (row) => row[node.name] ?? null;
  }
  const value = literal(node);
  return value === undefined ? null : () => value;
}

function literal(node: ExprNode): Value | undefined {
  if (node.type !== "literal" || node.value instanceof Date) return undefined;
  return typeof node.value === "object" && node.value !== null ? undefined : node.value;
}

function comparison(op: string, one: ((row: Row) => Value) | null, other: ((row: Row) => Value) | null): Test | null {
  const holds = COMPARISONS[op];
  if (holds === undefined || one === null || other === null) return null;
  return (row) => {
    const [left, right] = [one(row), other(row)];
    return left === null || right === null ? null : holds(left, right);
  };
}

/** Comparisons like the engine's: numbers and BigInts by value, a text with a number as a number. */
const COMPARISONS: Record<string, (one: Exclude<Value, null>, other: Exclude<Value, null>) => boolean> = {
  "=": (one, other) => one == other,
  "==": (one, other) => one == other,
  "!=": (one, other) => one != other,
  "<>": (one, other) => one != other,
  "<": (one, other) => one < other,
  "<=": (one, other) => one <= other,
  ">": (one, other) => one > other,
  ">=": (one, other) => one >= other,
};

function equal(one: Value, other: Value): Truth {
  return one === null || other === null ? null : one == other;
}

const TURNED: Record<string, string> = { "=": "=", "==": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<=" };

/** Returns the condition for the reader of a comparison between a column and a literal; null for other expressions. */
function boundOf(node: ExprNode): [string, Condition] | null {
  if (node.type === "in valuelist" && node.expr.type === "identifier") {
    const values = node.values.map((each) => comparable(literal(each)));
    return values.every((value) => value !== undefined) ? [node.expr.name, { oneOf: values }] : null;
  }
  if (node.type !== "binary") return null;
  const turned = node.right.type === "identifier";
  const [column, other] = turned ? [node.right, node.left] : [node.left, node.right];
  const value = comparable(literal(other));
  if (column.type !== "identifier" || value === undefined) return null;
  const condition = conditionOf(turned ? (TURNED[node.op] ?? "") : node.op, value);
  return condition && [column.name, condition];
}

function conditionOf(op: string, value: string | number | bigint): Condition | null {
  switch (op) {
    case "=":
    case "==":
      return { oneOf: [value] };
    case "<":
      return { lessThan: value };
    case "<=":
      return { atMost: value };
    case ">":
      return { moreThan: value };
    case ">=":
      return { atLeast: value };
    default:
      return null;
  }
}

function comparable(value: Value | undefined): string | number | bigint | undefined {
  return typeof value === "string" || typeof value === "number" || typeof value === "bigint" ? value : undefined;
}
