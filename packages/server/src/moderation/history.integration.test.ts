import { expect, test } from "vitest";
import { ranked, submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { ban } from "./ban.ts";
import { accountHistory } from "./history.ts";
import { removeAny } from "./remove.ts";

useScene();

test("an account's history has its submissions, open runs and decisions", async () => {
  await ranked(database, ann, box, 100);
  const removed = await submitted(database, ann);
  await submitted(database, bob);
  await removeAny(database, root, removed, { reason: "a copy" });
  await ban(database, root, { account: "ann", reason: "again" });
  expect(await accountHistory(database, root, ann.account.id)).toMatchObject({
    account: ann.account,
    roles: [],
    ban: { reason: "again" },
    submissions: 2,
    ranked: 1,
    waiting: 0,
    decisions: [
      { act: "ban", reason: "again" },
      { act: "remove", submissionId: removed, reason: "a copy" },
    ],
  });
});

test("requires a moderator", async () => {
  await expect(accountHistory(database, ann, bob.account.id)).rejects.toMatchObject({ code: "forbidden" });
  await expect(accountHistory(database, root, "missing")).rejects.toMatchObject({ code: "not_found" });
});
