import { expect, test } from "vitest";
import { formatRounds } from "./rounds.ts";

const rounds = [{ candidateNs: [1], referenceNs: [2] }];

test("the number of rounds has the reason why there were no more, if it is known", () => {
  const formatted = (["precise", "rounds", "time", null] as const).map((stopped) => formatRounds({ rounds, stopped }));
  expect(formatted).toEqual(["1 round (precise)", "1 round (limit)", "1 round (out of time)", "1 round"]);
});
