/** Parsing of statements, with corrections where the engine deviates from SQL. */
import { parseSql, type ExprNode, type Statement } from "squirreling";
import { DatasetError } from "../error.ts";
import { FUNCTIONS } from "./functions.ts";

/**
 * Parses a statement. LIKE is made case-sensitive and matches line breaks; integers beyond the precision of a double
 * stay exact; timestamps may be written with a space, `'2026-03-01 12:00:00'`.
 * @throws DatasetError with the position of a syntax error.
 */
export function parseStatement(sql: string): Statement {
  let statement: Statement;
  try {
    statement = parseSql({ query: sql.replace(/[\s;]+$/, ""), functions: FUNCTIONS });
  } catch (error) {
    throw new DatasetError((error as Error).message, { cause: error });
  }
  return corrected(statement, sql) as Statement;
}

function corrected(node: unknown, sql: string): unknown {
  if (Array.isArray(node)) return node.map((each) => corrected(each, sql));
  if (node === null || typeof node !== "object") return node;
  const inner = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, corrected(value, sql)]));
  return correctedNode(inner as unknown as ExprNode, sql);
}

const MOMENT = /^\d{4}-\d\d-\d\d \d\d:\d\d/;

function correctedNode(node: ExprNode, sql: string): ExprNode {
  const { positionStart, positionEnd } = node;
  if (node.type === "binary" && node.op === "LIKE") {
    return { type: "function", funcName: "LIKE_TEXT", args: [node.left, node.right], positionStart, positionEnd };
  }
  if (node.type !== "literal") return node;
  if (typeof node.value === "string" && MOMENT.test(node.value))
    return { ...node, value: node.value.replace(" ", "T") };
  if (typeof node.value !== "number" || Number.isSafeInteger(node.value)) return node;
  const digits = sql.slice(positionStart, positionEnd);
  return /^-?\d+$/.test(digits) ? { ...node, value: BigInt(digits) } : node;
}
