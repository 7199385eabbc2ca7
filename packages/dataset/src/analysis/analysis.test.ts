import { expect, test } from "vitest";
import { kernelRow as row } from "@kernelbot/testing/dataset/kernel-rows.ts";
import { failures } from "./failures.ts";
import { records } from "./fastest.ts";
import { progression } from "./progress.ts";
import { speedups } from "./speedup.ts";
import { topContestants } from "./contestants.ts";

const ADA = { userId: "u1", userName: "ada" };
const BOB = { userId: "u2", userName: "bob" };
const CYD = { userId: "u3", userName: "cyd" };

test("a user ranks by their best ranked run that passed, and equal times share a rank", () => {
  const { results } = topContestants([
    row(1, { ...ADA, scoreNs: 900 }),
    row(2, { ...ADA, scoreNs: 500, speedup: 2 }),
    row(3, { ...ADA, mode: "test" }),
    row(4, { ...BOB, scoreNs: 500 }),
    row(5, { ...CYD, scoreNs: 700 }),
    row(6, { ...CYD, scoreNs: 300, passed: false }),
    row(7, { ...CYD, scoreNs: 300, mode: "benchmark" }),
  ]);
  expect(
    results.map(({ place, userName, scoreNs, submissions, submissionId, speedup }) => [
      place,
      userName,
      scoreNs,
      submissions,
      submissionId,
      speedup,
    ]),
  ).toEqual([
    [1, "ada", 500, 3, 2, 2],
    [1, "bob", 500, 1, 4, null],
    [3, "cyd", 700, 3, 5, null],
  ]);
});

test("entries that share a rank on the final board share it here, and what is no entry there is none here", () => {
  const { results } = topContestants([
    row(1, { ...ADA, scoreNs: 500, place: 1 }),
    row(2, { ...ADA, scoreNs: 450, place: null }),
    row(3, { ...BOB, scoreNs: 501, place: 1 }),
    row(4, { ...CYD, scoreNs: 700, place: 4 }),
    row(5, { userId: "u4", userName: "in a team", scoreNs: 400, place: null }),
  ]);
  expect(results.map(({ place, userName, scoreNs }) => [place, userName, scoreNs])).toEqual([
    [1, "ada", 500],
    [1, "bob", 501],
    [4, "cyd", 700],
  ]);
});

test("a limit keeps the first ranks of a final board that ranks by efficiency, not the shortest times", () => {
  const rows = [row(1, { ...ADA, scoreNs: 500, place: 2 }), row(2, { ...BOB, scoreNs: 900, place: 1 })];
  expect(topContestants(rows, 1).results.map(({ place, userName }) => [place, userName])).toEqual([[1, "bob"]]);
});

test("boards are kept apart, and a limit holds for each", () => {
  const rows = [
    row(1, { problem: "sort", target: "H100", scoreNs: 500 }),
    row(2, { problem: "sort", target: "cpu", scoreNs: 600 }),
    row(3, { ...BOB, problem: "scan", target: "cpu", scoreNs: 700 }),
    row(4, { ...ADA, problem: "scan", target: "cpu", scoreNs: 800 }),
  ];
  const top = topContestants(rows, 1).results.map(({ problem, target, scoreNs }) => [problem, target, scoreNs]);
  expect(top).toEqual([
    ["scan", "cpu", 700],
    ["sort", "cpu", 600],
    ["sort", "H100", 500],
  ]);
});

test("times that no kernel can have are left out of rankings, and counted", () => {
  const rows = [
    row(1, { ...ADA, scoreNs: 4.6e-16 }),
    row(2, { ...ADA, scoreNs: 100 }),
    row(3, { ...BOB, scoreNs: 99.9 }),
  ];
  expect(topContestants(rows)).toMatchObject({ results: [{ userName: "ada", scoreNs: 100 }], implausible: 2 });
  expect(records(rows)).toMatchObject({ results: [{ scoreNs: 100 }], implausible: 2 });
  expect(progression(rows, "bob")).toMatchObject({ results: [{ scoreNs: 99.9, bestNs: null }], implausible: 1 });
  expect(speedups(rows)).toEqual({ results: [], implausible: 2 });
});

test("an author's progression tells each submission in the order of time, with the best so far", () => {
  const { results } = progression(
    [
      row(3, { ...ADA, scoreNs: 400 }),
      row(1, { ...ADA, mode: "test", passed: false }),
      row(2, { ...ADA, scoreNs: 600 }),
      row(4, { ...ADA, scoreNs: 500 }),
      row(5, { ...BOB, scoreNs: 100 }),
    ],
    "ada",
  );
  expect(results.map(({ submissionId, scoreNs, bestNs }) => [submissionId, scoreNs, bestNs])).toEqual([
    [1, null, null],
    [2, 600, 600],
    [3, 400, 400],
    [4, 500, 400],
  ]);
});

const sol = (value: number) => ({ ranking: "sol_score" as const, value });

test("on a board that ranks by efficiency, the best so far is the highest efficiency of a ranked run that passed", () => {
  const { results } = progression(
    [
      row(1, { ...ADA, scoreNs: 600, rankedBy: sol(0.4) }),
      row(2, { ...ADA, scoreNs: 700, rankedBy: sol(0.5) }),
      row(3, { ...ADA, scoreNs: 50, rankedBy: sol(1) }),
      row(4, { ...ADA, scoreNs: 650, rankedBy: sol(0.45) }),
    ],
    "ada",
  );
  expect(results.map(({ rankedBy, bestRankedBy, bestNs }) => [rankedBy?.value, bestRankedBy?.value, bestNs])).toEqual([
    [0.4, 0.4, 600],
    [0.5, 0.5, 600],
    [1, 0.5, 600],
    [0.45, 0.5, 600],
  ]);
  expect(topContestants([row(1, { ...ADA, scoreNs: 600, rankedBy: sol(0.4) })]).results).toMatchObject([
    { rankedBy: sol(0.4) },
  ]);
});

test("an author is who has the id, and a name that several have is asked about", () => {
  const rows = [
    row(1, { userId: "1", userName: "2" }),
    row(2, { userId: "2", userName: "x" }),
    row(3, { userId: "3", userName: "x" }),
  ];
  expect(progression(rows, "2").results.map(({ submissionId }) => submissionId)).toEqual([2]);
  expect(() => progression(rows, "x")).toThrow("2 accounts have the name x; say which by its id: 2, 3");
});

test("a record is what is faster than all that came before it", () => {
  const { results } = records([
    row(4, { ...ADA, scoreNs: 300 }),
    row(1, { ...ADA, scoreNs: 900 }),
    row(2, { ...BOB, scoreNs: 400 }),
    row(3, { ...ADA, scoreNs: 400 }),
  ]);
  expect(results.map(({ submissionId, userName, scoreNs }) => [submissionId, userName, scoreNs])).toEqual([
    [1, "ada", 900],
    [2, "bob", 400],
    [4, "ada", 300],
  ]);
});

test("failure classes are shares of what was judged, by mode", () => {
  const rows = [
    row(1, { mode: "test", passed: false, failureClass: "timeout" }),
    row(2, { mode: "test", passed: false, failureClass: "timeout" }),
    row(3, { mode: "test", passed: false }),
    row(4, { mode: "test" }),
    row(5, { mode: "test", passed: null }),
    row(6, { mode: "ranked" }),
  ];
  expect(failures(rows)).toEqual([
    { problem: "sort", target: "cpu", mode: "test", failureClass: "timeout", runs: 2, share: 0.5 },
    { problem: "sort", target: "cpu", mode: "test", failureClass: "unknown", runs: 1, share: 0.25 },
  ]);
});

test("speed-ups are those of the best runs, with a geometric mean", () => {
  const rows = [
    row(1, { ...ADA, scoreNs: 200, speedup: 9 }),
    row(2, { ...ADA, scoreNs: 100, speedup: 8 }),
    row(3, { ...BOB, scoreNs: 400, speedup: 0.5 }),
    row(4, { ...CYD, scoreNs: 500 }),
  ];
  expect(speedups(rows).results).toEqual([
    {
      problem: "sort",
      target: "cpu",
      users: 2,
      best: 8,
      median: 4.25,
      geometricMean: expect.closeTo(2, 9) as number,
      shareFaster: 0.5,
    },
  ]);
});
