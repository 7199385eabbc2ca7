import { expect, test } from "vitest";
import { entrantOf, rankEntries } from "@kernelbot/core";
import { changesOf, type DeliveredRank, type Row } from "./ranks.ts";

/** Returns a board with these names, from fast to slow. */
function rows(names: readonly string[]): Row[] {
  return rankEntries(
    names.map((name, index) => ({
      account: { id: name, name },
      team: null,
      submissionId: index + 100,
      timeNs: { value: 10 * (index + 1), low: 10 * (index + 1), high: 10 * (index + 1) },
    })),
  );
}

function changes(known: readonly DeliveredRank[], names: readonly string[], first: boolean, entrantId = "me") {
  const board = rows(names);
  const result = changesOf(known, board, new Map(board.map((row) => [row.account.id, row])), { entrantId, first });
  const words = result.changes.map(({ account, oldRank, newRank }) => `${account.name} ${oldRank} ${newRank}`);
  return { words, known: result.known };
}

const letters = "a b c d e f g h i j k l".split(" ");

test("overtaking changes the ranks of both", () => {
  const { known } = changes([], ["a", "b", "c"], true);
  expect(changes(known, ["a", "c", "b"], true).words).toEqual(["c 3 2", "b 2 3"]);
  expect(changes(known, ["a", "b", "c"], true).words).toEqual([]);
});

test("only the first ten rows are reported, and the new ranks of those that left them", () => {
  const { words, known } = changes([], letters, true);
  expect(words).toHaveLength(10);
  expect(changes(known, ["l", ...letters.slice(0, -1)], true).words).toEqual([
    "l null 1",
    ...letters.slice(0, 9).map((name, index) => `${name} ${index + 1} ${index + 2}`),
    "j 10 11",
  ]);
});

test("the owner's row is reported at any rank, and without other rows unless subscribed", () => {
  const { known } = changes([], [...letters, "me"], false);
  expect(known).toEqual([{ id: "me", name: "me", rank: 13 }]);
  expect(changes(known, ["x", ...letters, "me"], false).words).toEqual(["me 13 14"]);
  expect(changes(known, letters, false).words).toEqual(["me 13 null"]);
});

test("a team's row is reported to its members as their own, with the team's name", () => {
  const [first, ...others] = rows(["ann", "me"]) as [Row, ...Row[]];
  const board = [{ ...first, team: { id: 7, name: "Fast ones", members: [] } }, ...others];
  const rowOf = new Map(board.map((row) => [entrantOf(row).id, row]));
  const { changes } = changesOf([], board, rowOf, { entrantId: "team:7", first: false });
  expect(changes).toMatchObject([{ account: { id: "team:7", name: "Fast ones" }, oldRank: null, newRank: 1 }]);
});
