import { expect, test } from "vitest";
import type { Identity } from "./identity.ts";
import { ann, bob, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { ban } from "../moderation/ban.ts";
import { changeRoles, listAccounts, readAccount, rename, type AccountFilter } from "./accounts.ts";
import { auditActs, readAudit, type AuditFilter } from "./audit.ts";

useScene();

test("an administrator adds and removes roles, and the audit log records it", async () => {
  expect(await changeRoles(database, root, "ANN", { add: ["moderator"], remove: ["organiser"] })).toEqual([
    "moderator",
  ]);
  expect(await changeRoles(database, root, "ann", { add: [], remove: ["moderator"] })).toEqual([]);
  const entries = await readAudit(database, root, { limit: 10 });
  expect(entries.map(({ act, account, detail }) => [account.name, act, detail])).toEqual([
    ["root", "roles", { name: "ann", add: [], remove: ["moderator"] }],
    ["root", "roles", { name: "ann", add: ["moderator"], remove: ["organiser"] }],
  ]);
  const [newest] = entries;
  expect(await readAudit(database, root, { before: newest?.id, limit: 1 })).toEqual(entries.slice(1));
});

test("only administrators can change roles, list accounts and read the log", async () => {
  const refused = { code: "forbidden" };
  await expect(changeRoles(database, ann, "ann", { add: ["administrator"], remove: [] })).rejects.toMatchObject(
    refused,
  );
  await expect(listAccounts(database, ann, { limit: 1 })).rejects.toMatchObject(refused);
  await expect(readAudit(database, ann, { limit: 1 })).rejects.toMatchObject(refused);
});

test("the last administrator keeps the role, also when two remove each other's concurrently", async () => {
  const taken = (name: string) => changeRoles(database, root, name, { add: [], remove: ["administrator"] });
  await expect(taken("root")).rejects.toThrow("root is the last administrator");
  await changeRoles(database, root, "ann", { add: ["administrator"], remove: [] });
  const both = await Promise.allSettled([taken("root"), taken("ann")]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
});

test("a banned administrator does not count as one", async () => {
  await changeRoles(database, root, "ann", { add: ["administrator"], remove: [] });
  await database.sql`update account set banned_at = now(), ban_reason = 'x' where name = 'ann'`;
  await expect(changeRoles(database, root, "root", { add: [], remove: ["administrator"] })).rejects.toMatchObject({
    code: "conflict",
  });
});

test("lists accounts by name and by page", async () => {
  await database.sql`insert into linked_identity (provider, subject, account_id, label) values ('github', '1', ${bob.account.id}, 'b')`;
  const names = async (after?: string) => {
    const accounts = await listAccounts(database, root, { after, limit: 2 });
    return accounts.map(({ name, providers }) => [name, providers]);
  };
  expect(await names()).toEqual([
    ["ann", []],
    ["bob", ["github"]],
  ]);
  expect((await names("bob"))[0]?.[0]).toBe("root");
});

test("an account can be renamed to a free and valid name", async () => {
  const here: Identity = { ...ann, scopes: ["account"] };
  await rename(database, here, "Anna");
  await expect(rename(database, here, "BOB")).rejects.toThrow('an account already has the name "BOB"');
  await expect(rename(database, here, "\u202Ebob")).rejects.toMatchObject({ code: "unprocessable" });
  const rows = await database.sql<{ name: string }>`select name from account where id = ${ann.account.id}`;
  expect(rows).toEqual([{ name: "Anna" }]);
});

test("finds accounts by part of the name, by role and by ban", async () => {
  await changeRoles(database, root, "bob", { add: ["moderator"], remove: [] });
  await ban(database, root, { account: "ann", reason: "spam" });
  const found = async (filter: AccountFilter) =>
    (await listAccounts(database, root, { ...filter, limit: 10 })).map(({ name }) => name);
  expect(await found({ search: "OB" })).toEqual(["bob"]);
  expect(await found({ search: "%" })).toEqual([]);
  expect(await found({ only: "moderator" })).toEqual(["bob"]);
  expect(await found({ only: "banned" })).toEqual(["ann"]);
  expect(await found({ search: "b", only: "banned" })).toEqual([]);
});

test("only administrators can read another account by its id", async () => {
  expect(await readAccount(database, root, ann.account.id)).toMatchObject({ name: "ann", roles: [] });
  await expect(readAccount(database, root, "missing")).rejects.toMatchObject({ code: "not_found" });
  await expect(readAccount(database, ann, ann.account.id)).rejects.toMatchObject({ code: "forbidden" });
});

test("filters the log by action and by actor", async () => {
  await changeRoles(database, root, "bob", { add: ["moderator"], remove: [] });
  await ban(database, root, { account: "ann", reason: "spam" });
  const acts = async (filter: AuditFilter) =>
    (await readAudit(database, root, { ...filter, limit: 10 })).map(({ act }) => act);
  expect(await acts({ act: "roles" })).toEqual(["roles"]);
  expect(await acts({ account: "ROOT" })).toEqual(["ban", "roles"]);
  expect(await acts({ account: "bob" })).toEqual([]);
  expect(await auditActs(database, root)).toEqual(["ban", "roles"]);
  await expect(auditActs(database, bob)).rejects.toMatchObject({ code: "forbidden" });
});
