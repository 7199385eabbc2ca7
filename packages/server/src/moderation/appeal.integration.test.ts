import { expect, test } from "vitest";
import { readBoard } from "../boards/boards.ts";
import { STRANGER } from "../auth/visibility.ts";
import { authenticate, issueToken } from "../auth/tokens.ts";
import { readSubmission } from "../submissions/views.ts";
import { ranked } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { testSigner } from "@kernelbot/testing/signer.ts";
import { answer, appeal } from "./appeal.ts";
import { ban } from "./ban.ts";
import { rejectRun } from "./decide.ts";
import { decisionsAbout } from "./decisions.ts";
import { flagRun } from "./flag.ts";
import { moderationQueue } from "./quarantine.ts";
import { removeAny } from "./remove.ts";

useScene();

async function names(): Promise<string[]> {
  return (await readBoard(database, STRANGER, "double", "cpu")).rows.map((row) => row.account.name);
}

/** Rejects a run of Ann's and returns the id of the decision. */
async function rejected(): Promise<number> {
  const id = await ranked(database, ann, box, 100);
  const runId = (await readSubmission(database, id))?.runs[0]?.id as number;
  await flagRun(database, root, runId, "odd");
  return rejectRun(database, root, runId, { reason: "it cheats" });
}

async function answered(decision: number, grant: boolean): Promise<number> {
  return answer(database, root, decision, { grant, reason: "I looked again" }, await testSigner(database));
}

test("an appeal is listed with the quarantine; granting it returns the run to its board", async () => {
  const decision = await rejected();
  await appeal(database, ann, decision, "it is honest: see line 3");
  expect((await moderationQueue(database)).appeals).toMatchObject([
    { id: decision, act: "reject", decidedBy: root.account, appeal: { text: "it is honest: see line 3" } },
  ]);
  await answered(decision, true);
  expect(await names()).toEqual(["ann"]);
  expect((await moderationQueue(database)).appeals).toEqual([]);
  expect(await decisionsAbout(database, ann.account.id)).toMatchObject([
    { act: "accept", appeal: null },
    { id: decision, act: "reject", answer: { act: "accept", reason: "I looked again" } },
  ]);
});

test("a denied appeal keeps the decision, and its owner reads why", async () => {
  const decision = await rejected();
  await appeal(database, ann, decision, "it is honest");
  const uphold = await answered(decision, false);
  expect(await names()).toEqual([]);
  expect((await decisionsAbout(database, ann.account.id))[1]).toMatchObject({
    id: decision,
    answer: { act: "uphold" },
  });
  await expect(answered(decision, true)).rejects.toMatchObject({ code: "conflict" });
  await expect(appeal(database, ann, uphold, "please")).rejects.toMatchObject({ code: "conflict" });
});

test("a decision can be appealed once, and only by its subject", async () => {
  const decision = await rejected();
  await expect(appeal(database, bob, decision, "not mine")).rejects.toMatchObject({ code: "not_found" });
  await appeal(database, ann, decision, "it is honest");
  await expect(appeal(database, ann, decision, "it really is")).rejects.toThrow(/only one appeal is allowed/);
  await expect(answered(999, true)).rejects.toMatchObject({ code: "not_found" });
  const byAnn = answer(database, ann, decision, { grant: true, reason: "yes" }, await testSigner(database));
  await expect(byAnn).rejects.toMatchObject({ code: "forbidden" });
});

test("removals and bans can be appealed, also by the banned account", async () => {
  const id = await ranked(database, ann, box, 100);
  const removal = await removeAny(database, root, id, { reason: "a copy" });
  await ban(database, root, { account: "ann", reason: "copies" });
  const token = await issueToken(database, { accountId: ann.account.id, label: "x", scopes: ["submit", "read"] });
  const banned = await authenticate(database, token);
  const [ofBan] = await decisionsAbout(database, ann.account.id);
  await appeal(database, banned, ofBan?.id as number, "they copied me");
  await appeal(database, banned, removal, "they copied me");
  await answered(ofBan?.id as number, true);
  expect(await names()).toEqual([]);
  await answered(removal, true);
  expect(await names()).toEqual(["ann"]);
});
