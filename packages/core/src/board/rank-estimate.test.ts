import { expect, test } from "vitest";
import type { BoardRow } from "./board.ts";
import { estimateRank } from "./rank-estimate.ts";

const row = (name: string, ns: number, members?: string[]): BoardRow =>
  ({
    account: { id: name, name },
    team: members === undefined ? null : { id: 1, name: "Fast ones", members: members.map((id) => ({ id, name: id })) },
    timeNs: { value: ns, low: ns - 1, high: ns + 1 },
  }) as BoardRow;
const at = (ns: number) => ({ value: ns, low: ns - 1, high: ns + 1 });

test("an estimate lists two rows on each side, and a time within the leader's interval shares its rank", () => {
  const rows = [10, 20, 30, 40, 50, 60].map((ns) => row(`a${ns}`, ns));
  const place = estimateRank(rows, "me", { timeNs: at(41) });
  expect(place.around.map(({ rank, entry }) => [rank, entry?.account.name ?? "it"])).toEqual([
    [3, "a30"],
    [4, "a40"],
    [4, "it"],
    [6, "a50"],
    [7, "a60"],
  ]);
});

test("the row of the account's team counts as its own", () => {
  const place = estimateRank([row("ann", 10, ["ann", "bob"]), row("eve", 20)], "bob", { timeNs: at(5) });
  expect(place).toMatchObject({ rank: 1, entries: 2, better: null });
});

test("on a board that ranks by efficiency, a higher one is ahead whatever its time", () => {
  const efficient = (value: number) => ({
    ranking: "sol_score" as const,
    value,
    low: value - 0.01,
    high: value + 0.01,
  });
  const rows = [
    { ...row("ann", 500), rankedBy: efficient(0.8) },
    { ...row("eve", 10), rankedBy: efficient(0.4) },
  ];
  const place = estimateRank(rows, "me", { timeNs: at(50), rankedBy: efficient(0.6) });
  expect(place.around.map(({ rank, entry }) => [rank, entry?.account.name ?? "it"])).toEqual([
    [1, "ann"],
    [2, "it"],
    [3, "eve"],
  ]);
});
