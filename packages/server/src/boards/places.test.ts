import { expect, test } from "vitest";
import { ranked } from "../testing/fixtures.ts";
import { ann, bob, box, database } from "../testing/scene.ts";
import { placesOf } from "./places.ts";

test("a submission has a rank on each board where it is an entry, and none where a better one of its owner's is", async () => {
  const slow = await ranked(database, ann, box, 300);
  const fast = await ranked(database, ann, box, 200);
  const leader = await ranked(database, bob, box, 100);
  const place = { target: "cpu", entries: 2, leader: { id: leader, account: "bob" } };
  expect(await placesOf(database, "double", ["cpu", "H100"], fast)).toEqual([
    { ...place, own: { rank: 2, standing: "provisional" } },
  ]);
  expect(await placesOf(database, "double", ["cpu"], slow)).toEqual([{ ...place, own: null }]);
});
