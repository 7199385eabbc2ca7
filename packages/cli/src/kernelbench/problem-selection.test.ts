import type { SuiteKey } from "@kernelbot/core";
import { expect, test } from "vitest";
import { selected } from "./problem-selection.ts";

const PROBLEMS: SuiteKey[] = [
  { level: 1, problem: 2 },
  { level: 1, problem: 19 },
  { level: 2, problem: 1 },
];

function names(levels?: string, problems?: string): string[] {
  return selected(PROBLEMS, { levels, problems }).map(({ level, problem }) => `${level}/${problem}`);
}

test("all problems are selected by default; levels and problems select fewer", () => {
  expect(names()).toEqual(["1/2", "1/19", "2/1"]);
  expect(names("2")).toEqual(["2/1"]);
  expect(names("1, 2", "2/1,1/19")).toEqual(["1/19", "2/1"]);
});

test.each([
  ["4", undefined, 'such as 1,2, not "4"'],
  [undefined, "1-2", 'such as 1/3,1/19, not "1-2"'],
  [undefined, "1/7", "problem 1/7 does not exist: level 1 has 2, from 2 to 19"],
  [undefined, "3/1", "level 3 has none"],
  ["2", "1/2", "--levels and --problems have no problem in common"],
])("levels %s and problems %s are a mistake", (levels, problems, message) => {
  expect(() => names(levels, problems)).toThrow(message);
});
