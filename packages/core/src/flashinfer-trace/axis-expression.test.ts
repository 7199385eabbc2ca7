import { expect, test } from "vitest";
import { evaluateAxis } from "./axis-expression.ts";

const AXES = new Map([
  ["m", 7],
  ["n", 3],
]);

test.each([
  ["m + n * 2", 13],
  ["(m + n) * 2", 20],
  ["m // 2 - -n", 6],
  ["-m // 2 + 4", 0],
  ["-m % n", 2],
  ["2 ** n ** 2", 512],
  ["-2 ** 2 + 4", 0],
  ["6.0 / n", 2],
  [" m ", 7],
])("%s is %d, as in Python", (expression, value) => expect(evaluateAxis(expression, AXES)).toBe(value));

test.each([
  ["m / 2", "is 3.5, not a whole number"],
  ["n - m", "is -4, not a whole number"],
  ["k + 1", 'uses "k", which is not an axis before it'],
  ["m n", 'has an unexpected "n"'],
  ["m +", "ends unexpectedly"],
  ["(m", "lacks a closing parenthesis"],
  ["f(m)", 'uses "f"'],
  ["m.x", "has an unexpected"],
  ["m; n", 'has an unexpected ";"'],
  ["m // 0", "divides by 0"],
  ["9 ** 9 ** 9", "has a value beyond 2^53"],
  ["(".repeat(100), "is nested more than 50 deep"],
  [`1${"+1".repeat(600)}`, "has more than 1000 characters"],
])("%s is refused", (expression, why) => expect(() => evaluateAxis(expression, AXES)).toThrow(why));
