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
  // On a CPU the speedup over the reference, of 1000 ns, ranks.
  const result = (timeNs: number, speedup: number) => ({
    timeNs: { value: timeNs, low: timeNs, high: timeNs },
    rankedBy: { ranking: "speedup", value: speedup, low: speedup / 1.02, high: speedup * 1.02 },
  });
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
      own: { rank: 2, verification: "provisional", ...result(200, 5) },
      ahead: { rank: 1, account: "bob", ...result(100, 10) },
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
