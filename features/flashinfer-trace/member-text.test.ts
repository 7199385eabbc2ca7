import { expect, test } from "vitest";
import { memberText } from "./member-text.ts";

test.each([
  ['{"a": {"b": 1.0, "w": 2}, "w": [1e2, "]}"]}', "w", '[1e2, "]}"]'],
  ['{"w":{"x":9007199254740993},"a":"\\"w\\": 1"}', "w", '{"x":9007199254740993}'],
  ['{"w": 1, "a": "w", "w" : -1.50 }', "w", "-1.50"],
])("of %s the member %s is %s", (text, name, value) => expect(memberText(text, name)).toBe(value));

test("a missing member is an error", () =>
  expect(() => memberText('{"a": {"w": 1}}', "w")).toThrow('the object has no member "w"'));
