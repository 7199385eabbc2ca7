import { beforeEach, expect, test } from "vitest";
import { ann, bob, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { readAudit } from "../auth/audit.ts";
import { readDiscordNames, renameDiscordUsers } from "./discord-names.ts";
import { findOrCreateAccount } from "../auth/identities.ts";
import { createAccount } from "../auth/tokens.ts";

useScene();

/** Discord users: one has signed in, the other only has imported submissions. */
const [ANN, CLEO] = ["4200000000000000001", "4200000000000000002"];

beforeEach(async () => {
  await link(ANN, ann.account.id);
  const { id } = await createAccount(database, "cleo");
  await imported(CLEO, id);
});

async function link(subject: string, account: string): Promise<void> {
  await database.sql`insert into linked_identity (provider, subject, account_id, label)
    values ('discord', ${subject}, ${account}, 'x')`;
}

async function imported(user: string, account: string, discord = true): Promise<void> {
  await database.sql`insert into imported_account (source, user_id, account_id, discord)
    values ('corpus', ${user}, ${account}, ${discord})`;
}

const names = async () => Object.fromEntries(await readDiscordNames(database, root));

test("lists names of Discord accounts, and of imported ones that have not signed in", async () => {
  await database.sql`insert into linked_identity (provider, subject, account_id, label)
    values ('github', '7', ${bob.account.id}, 'b')`;
  await imported("77", bob.account.id, false);
  expect(await names()).toEqual({ [ANN]: "ann", [CLEO]: "cleo" });
  expect(await readAudit(database, root, { limit: 1 })).toMatchObject([
    { act: "read names", subject: "discord users", detail: { users: 2 } },
  ]);
});

test("an imported account that was opened by other means is no longer the Discord user's", async () => {
  await imported("4200000000000000003", bob.account.id);
  expect(await names()).toEqual({ [ANN]: "ann", [CLEO]: "cleo" });
});

test("an account that signed in is renamed itself, not rows imported later", async () => {
  await imported(ANN, (await createAccount(database, "ann-2")).id);
  await renameDiscordUsers(database, root, [[ANN, "Anna"]]);
  expect((await names())[ANN]).toBe("Anna");
});

test("renames each account independently and reports why one fails", async () => {
  await link("43", bob.account.id);
  const done = await renameDiscordUsers(database, root, [
    [ANN, "BOB"],
    ["43", "bob"],
    ["99", "missing"],
    [CLEO, "  Cleo ⁻¹ "],
    ["42", "admin"],
    [CLEO, "@everyone *c*"],
    [ANN, "\u202Eadmin"],
    [ANN, "moderator"],
  ]);
  expect(done.renamed).toEqual([
    { user: CLEO, before: "cleo", name: "Cleo −1" },
    { user: CLEO, before: "Cleo −1", name: "@everyone *c*" },
  ]);
  expect(done.unchanged).toBe(1);
  expect(done.refused.map(({ user, message }) => [user, message])).toEqual([
    [ANN, expect.stringContaining('an account already has the name "BOB"')],
    ["99", "this Discord account is not linked to an account on this server"],
    ["42", "this Discord account is not linked to an account on this server"],
    [ANN, expect.stringContaining("is not a valid name")],
    [ANN, expect.stringContaining("is reserved")],
  ]);
  expect(await names()).toMatchObject({ [ANN]: "ann", [CLEO]: "@everyone *c*" });
  const log = await readAudit(database, root, { act: "rename", limit: 10 });
  expect(log.map(({ detail }) => detail)).toEqual([
    { before: "Cleo −1", now: "@everyone *c*" },
    { before: "cleo", now: "Cleo −1" },
  ]);
});

test("an imported account that was renamed keeps the name at sign-in", async () => {
  await renameDiscordUsers(database, root, [[CLEO, "Cleopatra"]]);
  const id = await findOrCreateAccount(database, { provider: "discord", subject: CLEO, name: "someone" });
  expect(await database.sql`select name from account where id = ${id}`).toEqual([{ name: "Cleopatra" }]);
});

test("only administrators can list names", async () => {
  const refused = { code: "forbidden" };
  await expect(readDiscordNames(database, ann)).rejects.toMatchObject(refused);
  await expect(renameDiscordUsers(database, ann, [[ANN, "x"]])).rejects.toMatchObject(refused);
});
