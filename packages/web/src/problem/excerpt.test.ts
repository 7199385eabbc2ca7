import { expect, test } from "vitest";
import { gist } from "./excerpt.ts";

test.each([
  ["Multiply two *single-precision*\nmatrices:\n\n    c = a b\n", "Multiply two single-precision matrices."],
  ["## Sort a [vector](https://example.com)\n\nof", "Sort a vector"],
  [String.raw`Of a matrix $X \in \mathbb{R}^2$ and \(a \times b\), and $5.`, "Of a matrix X∈ℝ2 and a×b, and 5."],
  ["x ".repeat(200), `${"x ".repeat(80)}…`],
])("the gist of %j is its first paragraph in plain words", (description, expected) => {
  expect(gist(description)).toBe(expected);
});
