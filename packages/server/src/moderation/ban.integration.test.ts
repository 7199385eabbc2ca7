import { expect, test } from "vitest";
import { readBoard } from "../boards/boards.ts";
import { listBoards } from "../boards/list.ts";
import { STRANGER } from "../auth/visibility.ts";
import { authenticate, createAccount, issueToken } from "../auth/tokens.ts";
import type { Identity, Role } from "../auth/identity.ts";
import { readSubmission } from "../submissions/views.ts";
import { claimed, ranked, submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { ban, unban } from "./ban.ts";

useScene();

async function withRole(name: string, role: Role): Promise<Identity> {
  const account = await createAccount(database, name, [role]);
  const token = await issueToken(database, { accountId: account.id, label: "test", scopes: ["read", "admin"] });
  return authenticate(database, token);
}

async function names(): Promise<string[]> {
  return (await readBoard(database, STRANGER, "double", "cpu")).rows.map((row) => row.account.name);
}

test("a ban hides all entries of the account, and lifting it restores them", async () => {
  await ranked(database, ann, box, 100);
  await ranked(database, bob, box, 200);
  await ban(database, root, { account: "ann", reason: "sold its token" });
  expect(await names()).toEqual(["bob"]);
  const board = (await listBoards(database, STRANGER)).find(({ entries }) => entries > 0);
  expect(board).toMatchObject({ entries: 1, leader: { name: "bob" } });
  const ended = await unban(database, root, { account: "ann", reason: "it was stolen" });
  expect(ended).toEqual({ account: ann.account, bannedAt: null, reason: null });
  expect(await names()).toEqual(["ann", "bob"]);
});

test("account names are case-insensitive", async () => {
  expect(await ban(database, root, { account: "ANN", reason: "spam" })).toMatchObject({ account: ann.account });
  expect(await unban(database, root, { account: "Ann", reason: "paid" })).toMatchObject({ account: ann.account });
});

test("cancels the account's open runs", async () => {
  const [first, second] = [
    await submitted(database, ann),
    await submitted(database, ann, { targets: ["cpu", "H100"] }),
  ];
  await claimed(database, box);
  await ban(database, root, { account: "ann", reason: "sold its token" });
  const runs = await Promise.all([first, second].map(async (id) => (await readSubmission(database, id))?.runs ?? []));
  expect(runs.flat().map((run) => run.state)).toEqual(["cancelled", "cancelled", "cancelled"]);
});

test("a banned account can read, and every other request states the reason immediately", async () => {
  const token = await issueToken(database, { accountId: ann.account.id, label: "x", scopes: ["submit", "read"] });
  await authenticate(database, token);
  await ban(database, root, { account: "ann", reason: "sold its token" });
  await expect(authenticate(database, token).then((identity) => submitted(database, identity))).rejects.toThrow(
    "the account ann is banned: sold its token",
  );
});

test("moderators ban participants; only administrators ban accounts with a role", async () => {
  const mia = await withRole("mia", "moderator");
  await withRole("max", "moderator");
  await ban(database, mia, { account: "ann", reason: "spam" });
  const refused = { code: "forbidden", message: "max has a role, so only an administrator can ban or unban it" };
  await expect(ban(database, mia, { account: "max", reason: "spam" })).rejects.toMatchObject(refused);
  await ban(database, root, { account: "max", reason: "spam" });
  await expect(unban(database, mia, { account: "max", reason: "a friend" })).rejects.toMatchObject(refused);
  await expect(ban(database, bob, { account: "ann", reason: "rivalry" })).rejects.toMatchObject({ code: "forbidden" });
});

test("the last administrator cannot be banned, and two cannot ban each other concurrently", async () => {
  await expect(ban(database, root, { account: "root", reason: "tired" })).rejects.toMatchObject({ code: "conflict" });
  const rita = await withRole("rita", "administrator");
  const bans = await Promise.allSettled([
    ban(database, root, { account: "rita", reason: "a coup" }),
    ban(database, rita, { account: "root", reason: "a coup" }),
  ]);
  expect(bans.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
});

test("bans are in the audit log, and unknown accounts are rejected", async () => {
  await ban(database, root, { account: "ann", reason: "spam" });
  const acts = await database.db.selectFrom("audit").select(["act", "subject", "detail"]).execute();
  expect(acts).toEqual([{ act: "ban", subject: `account ${ann.account.id}`, detail: { reason: "spam" } }]);
  await expect(ban(database, root, { account: "missing", reason: "x" })).rejects.toMatchObject({ code: "not_found" });
  await expect(unban(database, root, { account: "bob", reason: "x" })).rejects.toMatchObject({ code: "conflict" });
});
