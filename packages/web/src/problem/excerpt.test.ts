import { expect, test } from "vitest";
import { excerpt } from "./excerpt.ts";

test.each([
  ["Multiply two *single-precision*\nmatrices:\n\n    c = a b\n", "Multiply two single-precision matrices."],
  ["## Sort a [vector](https://example.com)\n\nof", "Sort a vector"],
  [String.raw`Of a matrix $X \in \mathbb{R}^2$ and \(a \times b\), and $5.`, "Of a matrix X∈ℝ2 and a×b, and 5."],
  ["x ".repeat(200), `${"x ".repeat(80)}…`],
])("the excerpt of %j is its first paragraph as plain text", (description, expected) => {
  expect(excerpt(description)).toBe(expected);
});
