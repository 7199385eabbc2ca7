import { expect, test } from "vitest";
import type { Rounds } from "../run/tester-protocol.ts";
import { boardReferenceTimes, scoreOnBoard } from "./board-score.ts";
import { scoreCases } from "./score.ts";

const steady = (candidateNs: number, referenceNs: number): { rounds: Rounds; summary: null } => ({
  rounds: Array.from({ length: 6 }, () => ({ candidateNs: [candidateNs], referenceNs: [referenceNs] })),
  summary: null,
});

test("times at a board's reference times follow the speedups, and keep their order on a slower machine", () => {
  const board = [2_000, 8_000];
  const onBoard = (...cases: ReturnType<typeof steady>[]) =>
    scoreOnBoard(cases, "geom", "cpu", "rounds", undefined, board);
  const quick = onBoard(steady(1_000, 2_000), steady(2_000, 8_000));
  expect(quick.cases.map(({ timeNs }) => timeNs.value)).toEqual([1_000, 2_000]);
  const slow = onBoard(steady(1_400, 2_600), steady(2_600, 9_000));
  expect(slow.timeNs.value).toBeCloseTo(Math.sqrt((2_000 / (2_600 / 1_400)) * (8_000 / (9_000 / 2_600))), 6);
  const [first] = slow.cases;
  expect(first?.timeNs.low).toBeCloseTo(2_000 / (first?.speedup?.high ?? NaN), 6);
  expect(first?.timeNs.high).toBeCloseTo(2_000 / (first?.speedup?.low ?? NaN), 6);
});

/** Rounds of a kernel of 500 us that slows down half as much as its reference of 1 ms, on a machine that is never quiet. */
const halfAsSensitive = (slowest: number): { rounds: Rounds; summary: null } => ({
  rounds: [0.1, 0.6, 0.3, 0.9, 0.2, 0.8, 0.5, 0.4, 0.7].map((part) => {
    const slow = 1 + part * (slowest - 1);
    return { candidateNs: [500_000 * Math.sqrt(slow)], referenceNs: [1_000_000 * slow] };
  }),
  summary: null,
});

test("a run on a busy machine gets the time that it would have in the board's first run", () => {
  const [first, busy] = [[halfAsSensitive(1.4)], [halfAsSensitive(1.8)]];
  const board = boardReferenceTimes(first, "cpu");
  const timeOf = (run: typeof first) => scoreOnBoard(run, "geom", "cpu", "rounds", undefined, board).timeNs;
  expect(timeOf(first).value).toBeCloseTo(500_000 * Math.sqrt(1.2), 3);
  expect(timeOf(busy).value).toBeCloseTo(timeOf(first).value, 3);
  const measured = [first, busy].map((run) => scoreCases(run, "geom", "cpu").speedup?.value ?? NaN) as [number, number];
  expect(measured[1] / measured[0]).toBeGreaterThan(1.07);
});

test("the reference times of a board are the medians over the rounds, and need a reference in each case", () => {
  expect(boardReferenceTimes([halfAsSensitive(1.4), steady(7, 9)], "cpu")).toEqual([1_200_000, 9]);
  expect(
    boardReferenceTimes(
      [steady(7, 9), { rounds: [] }].map((each) => ({ summary: null, ...each })),
      "cpu",
    ),
  ).toBeNull();
});

test("without reference times of the board a score is as measured", () => {
  const run = [halfAsSensitive(1.4)];
  expect(scoreOnBoard(run, "geom", "cpu", "rounds", undefined, null)).toEqual(scoreCases(run, "geom", "cpu"));
});
