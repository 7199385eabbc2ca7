import { expect, test } from "vitest";
import { STRANGER } from "../auth/visibility.ts";
import { removeOwn } from "../moderation/remove.ts";
import { rename } from "../auth/accounts.ts";
import { ranked } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database } from "@kernelbot/testing/scene.ts";
import { placesOf } from "./ranks.ts";

test("a submission has a rank on each board where it is an entry, and none where a better one of its owner's is", async () => {
  const slow = await ranked(database, ann, box, 300);
  const fast = await ranked(database, ann, box, 200);
  const leader = await ranked(database, bob, box, 100);
  const place = { target: "cpu", entries: 2, freeze: null, leader: { id: leader, account: "bob" } };
  expect(await placesOf(database, STRANGER, "double", ["cpu", "H100"], fast)).toEqual([
    { ...place, own: { rank: 2, standing: "provisional", timeNs: expect.objectContaining({ value: 200 }) as unknown } },
  ]);
  expect(await placesOf(database, STRANGER, "double", ["cpu"], slow)).toEqual([{ ...place, own: null }]);
});

test("what was remembered of a board is forgotten when an entry comes, goes or is called otherwise", async () => {
  const id = await ranked(database, ann, box, 200);
  const place = async () => (await placesOf(database, STRANGER, "double", ["cpu"], id))[0];
  expect(await place()).toMatchObject({ own: { rank: 1 }, entries: 1, leader: { id, account: "ann" } });
  const faster = await ranked(database, bob, box, 100);
  expect(await place()).toMatchObject({ own: { rank: 2 }, entries: 2, leader: { id: faster, account: "bob" } });
  await rename(database, bob, "bobby");
  expect(await place()).toMatchObject({ leader: { account: "bobby" } });
  await removeOwn(database, bob, faster);
  expect(await place()).toMatchObject({ own: { rank: 1 }, entries: 1 });
});

test("on a target that has no board there is no place", async () => {
  const id = await ranked(database, ann, box, 200);
  expect(await placesOf(database, STRANGER, "double", ["MI300"], id)).toEqual([]);
});
