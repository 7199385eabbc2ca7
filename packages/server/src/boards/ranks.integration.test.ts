import { expect, test } from "vitest";
import { STRANGER } from "../auth/visibility.ts";
import { removeOwn } from "../moderation/remove.ts";
import { rename } from "../auth/accounts.ts";
import { ranked } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, useScene } from "@kernelbot/testing/scene.ts";
import { findSubmissionRanks } from "./ranks.ts";

useScene();

test("a submission has a rank on each board where it is an entry, and none where its owner has a better one", async () => {
  const slow = await ranked(database, ann, box, 300);
  const fast = await ranked(database, ann, box, 200);
  const leader = await ranked(database, bob, box, 100);
  const place = {
    target: "cpu",
    entries: 2,
    applicationGate: null,
    freeze: null,
    leader: { id: leader, account: "bob" },
  };
  expect(await findSubmissionRanks(database, STRANGER, "double", ["cpu", "H100"], fast)).toEqual([
    {
      ...place,
      own: { rank: 2, verification: "provisional", timeNs: expect.objectContaining({ value: 200 }) as unknown },
      ahead: { rank: 1, account: "bob", timeNs: expect.objectContaining({ value: 100 }) as unknown },
    },
  ]);
  expect(await findSubmissionRanks(database, STRANGER, "double", ["cpu"], slow)).toEqual([
    { ...place, own: null, ahead: null },
  ]);
});

test("invalidates cached ranks when an entry is added, removed or renamed", async () => {
  const id = await ranked(database, ann, box, 200);
  const place = async () => (await findSubmissionRanks(database, STRANGER, "double", ["cpu"], id))[0];
  expect(await place()).toMatchObject({ own: { rank: 1 }, ahead: null, entries: 1, leader: { id, account: "ann" } });
  const faster = await ranked(database, bob, box, 100);
  expect(await place()).toMatchObject({ own: { rank: 2 }, entries: 2, leader: { id: faster, account: "bob" } });
  await rename(database, bob, "bobby");
  expect(await place()).toMatchObject({ leader: { account: "bobby" } });
  await removeOwn(database, bob, faster);
  expect(await place()).toMatchObject({ own: { rank: 1 }, entries: 1 });
});

test("there is no rank on a target without a board", async () => {
  const id = await ranked(database, ann, box, 200);
  expect(await findSubmissionRanks(database, STRANGER, "double", ["MI300"], id)).toEqual([]);
});
