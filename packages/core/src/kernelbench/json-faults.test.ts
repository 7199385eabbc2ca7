import { expect, test } from "vitest";
import { randomness } from "@kernelbot/testing/noise.ts";
import { findJsonFaults } from "./json-faults.ts";

test.each([
  ['{"a": }', 1, 7, 'unexpected "}", expected a value'],
  ['{"a": 1\n "b": 2}', 2, 2, 'unexpected "\\"", expected a comma or }'],
  ["[1,]", 1, 4, 'unexpected "]", expected a value'],
  ["{'a': 1}", 1, 2, 'unexpected "\'", expected a name in double quotes'],
  ['{"a": NaN}', 1, 7, 'unexpected "N", expected a value'],
  ['{"a": 01}', 1, 7, 'unexpected "0", expected a value'],
  ['{"a"', 1, 5, "unexpected end, expected a colon"],
  ['{"a": "b', 1, 9, "unexpected end, expected a closing double quote"],
  [
    '{"a": "line\nbreak"}',
    1,
    12,
    "a string contains a raw line break, tab or control character; write \\n, \\t or \\u00XX",
  ],
  ['"\\x"', 1, 3, 'unexpected "x", expected one of " \\ / b f n r t u after a backslash'],
  ["{} {}", 1, 4, 'unexpected "{", expected the end'],
  ["", 1, 1, "unexpected end, expected a value"],
])("%j is invalid JSON at line %i, column %i", (text, line, column, what) => {
  expect(findJsonFaults(text).place).toEqual({ line, column, what });
});

test("duplicate names are found in the outermost object and its members, also when escaped", () => {
  const text =
    '{"a": {"x": 1, "y": {"z": 1, "z": 2}, "\\u0078": 2, "x": 3}, "b": [{"x": 1, "x": 1}], "a": 1, "__proto__": 1}';
  expect(findJsonFaults(text)).toEqual({ place: null, repeated: [["a", "x"], ["a"]] });
});

test("2 MB of brackets, quotes or backslashes are parsed without exhausting stack or time", () => {
  const size = 2_000_000;
  expect(findJsonFaults("[".repeat(size)).place).toMatchObject({ column: 65, what: "it is nested more than 64 deep" });
  expect(findJsonFaults(`"${"\\n".repeat(size / 2)}"`).place).toBeNull();
  expect(findJsonFaults(`"${"\\".repeat(size)}`).place).toMatchObject({ column: size + 2 });
  expect(findJsonFaults(" ".repeat(size)).place).toMatchObject({ column: size + 1 });
  expect(findJsonFaults("9".repeat(size)).place).toBeNull();
  expect(findJsonFaults(`[${"[],".repeat(size / 4)}[]]`).place?.what).toBe("it has more than 100000 values");
});

test("it accepts exactly what JSON.parse accepts", () => {
  const random = randomness(3);
  const signs = '{}[],:"\\ \n019.-+eEtrufalsn\0\x1fé';
  const whole = '{"a": [1.5e3, -0, true, null, "\\u00e9\\n"], "b": {"c": "", "d": {}}, "e": []}';
  const outcomes = { taken: 0, refused: 0 };
  for (let round = 0; round < 5_000; round++) {
    const at = Math.floor(random() * whole.length);
    const sign = signs.charAt(Math.floor(random() * signs.length));
    const text = whole.slice(0, at) + sign + whole.slice(at + Math.floor(random() * 2));
    const isTaken = findJsonFaults(text).place === null;
    outcomes[isTaken ? "taken" : "refused"] += 1;
    expect([text, isTaken]).toEqual([text, isJson(text)]);
  }
  expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(300);
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
