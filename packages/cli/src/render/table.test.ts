import { expect, test } from "vitest";
import { PLAIN } from "../output/style.ts";
import { table } from "./table.ts";

const COLUMNS = [
  { title: "name", shrinks: true },
  { title: "time", side: "right" },
] as const;

test("columns are as wide as their widest cell, numbers stand right", () => {
  expect(
    table(
      COLUMNS,
      [
        ["ada", "1 ms"],
        ["漢字", "10 ms"],
      ],
      80,
      PLAIN,
    ),
  ).toEqual(["name   time", "ada    1 ms", "漢字  10 ms"]);
});

test("the column that shrinks gives way where the table is too wide", () => {
  expect(table(COLUMNS, [["a name that goes on and on", "1 ms"]], 20, PLAIN)).toEqual([
    "name            time",
    "a name that g…  1 ms",
  ]);
});

test("without a terminal, one long cell is complete and does not widen the other rows", () => {
  const long = `${"a".repeat(196)}.py`;
  expect(
    table(
      COLUMNS,
      [
        [long, "1 ms"],
        ["b.py", "10 ms"],
      ],
      Infinity,
      PLAIN,
    ),
  ).toEqual([`${"name".padEnd(40)}   time`, `${long}   1 ms`, `${"b.py".padEnd(40)}  10 ms`]);
});

test("a cell is one line, whatever is in it", () => {
  expect(table(COLUMNS, [["a\nb", "1"]], 80, PLAIN)[1]).toBe("a b      1");
});
