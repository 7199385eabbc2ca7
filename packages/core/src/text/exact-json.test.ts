import { expect, test } from "vitest";
import { KernelBotError } from "../errors.ts";
import { parseExactJson } from "./exact-json.ts";

test.each([
  '{"a": {"b": 1}, "b": [{"b": 2}, {"b": 3}], "c": "b", "d": ["a", "a"]}',
  '{"a": "{\\"a\\": 1, \\"a\\": 2}", "\\\\": ",", "": "}"}',
  "[1, 1.0, 1e2, 1E+2, 0.5e1, 100, -1.50, 0, 0.0, 0.1, 1e-7, 123456789012345680000, 5e-324, 9007199254740991]",
  '"text"',
  `${"[".repeat(64)}${"]".repeat(64)}`,
])("%s parses as with JSON.parse", (text) => {
  expect(parseExactJson(text)).toEqual(JSON.parse(text));
});

test.each([
  ['{"a": 1, "b": 2, "a": 1}', /"a" occurs twice in the same object/],
  ['{"a": 1, "\\u0061": 2}', /"a" occurs twice/],
  ['[{"x": {"y": [], "z": {}, "y": 1}}]', /"y" occurs twice/],
  ['{"__proto__": 1, "__proto__": 2}', /"__proto__" occurs twice/],
  ["[12288.0000000000000000001]", /the number 12288\.0000000000000000001 is read as 12288/],
  ["[9007199254740993]", /read as 9007199254740992/],
  ["[-0]", /the number -0 is read as 0/],
  ["[1e999]", /read as Infinity/],
  ["[1e-999]", /read as 0/],
  [`[1${"0".repeat(100_000)}1]`, /the number 1000/],
  [`${"[".repeat(100_000)}${"]".repeat(100_000)}`, /more than 64 deep/],
])("%s is rejected", (text, why) => {
  expect(() => parseExactJson(text)).toThrow(KernelBotError);
  expect(() => parseExactJson(text)).toThrow(why);
});

test("invalid JSON throws the error of JSON.parse", () => {
  expect(() => parseExactJson('{"a": }')).toThrow(SyntaxError);
});
