import { expect, test } from "vitest";
import { ranked } from "./figure-choice.ts";
import { entryWith, solved } from "@kernelbot/testing/web/kernelbench.ts";

const named = (id: number, results: Parameters<typeof entryWith>[0], more = {}) => entryWith(results, { id, ...more });
/** Solves one problem, with a large speedup. */
const FEW = named(1, [solved(1, 1, 9)]);
const MANY = named(2, [solved(1, 1, 0.5), solved(1, 2, 0.5)]);
const FASTER = named(3, [solved(1, 1, 0.5), solved(1, 2, 1)]);

test("entries are ranked by correct rate, then by Fast@1", () => {
  const rows = ranked([FEW, MANY, FASTER], "official");
  expect(rows.map(({ entry, rank }) => [entry.id, rank])).toEqual([
    [3, 1],
    [2, 2],
    [1, 3],
  ]);
});

test("entries with equal figures share a rank, and drafts have none", () => {
  const draft = named(4, [solved(1, 1, 9)], { publishedAt: null });
  const rows = ranked([FEW, { ...FEW, id: 5 }, draft, named(6, [])], "official");
  expect(rows.map(({ entry, rank }) => [entry.id, rank])).toEqual([
    [1, 1],
    [5, 1],
    [4, null],
    [6, 3],
  ]);
});

test("robust figures ignore degenerate problems in the ranking", () => {
  const degenerate = named(7, [solved(1, 3, 500), solved(1, 1, 0.9)]);
  const honest = named(8, [{ ...solved(1, 2, 1.2), correct: false }, solved(1, 1, 1.1)]);
  const first = (kind: "official" | "robust") => ranked([degenerate, honest], kind)[0]?.entry.id;
  expect(first("official")).toBe(7);
  expect(first("robust")).toBe(8);
});
