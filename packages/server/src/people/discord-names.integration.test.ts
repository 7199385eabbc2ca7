import { beforeEach, expect, test } from "vitest";
import { ann, bob, database, root } from "@kernelbot/testing/scene.ts";
import { readAudit } from "../auth/audit.ts";
import { readDiscordNames, renameDiscordUsers } from "./discord-names.ts";
import { enter } from "../auth/identities.ts";
import { createAccount } from "../auth/tokens.ts";

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

test("names are those of who signs in with Discord, and of who has not come yet to the rows that an import brought", async () => {
  await database.sql`insert into linked_identity (provider, subject, account_id, label)
    values ('github', '7', ${bob.account.id}, 'b')`;
  await imported("77", bob.account.id, false);
  expect(await names()).toEqual({ [ANN]: "ann", [CLEO]: "cleo" });
  expect(await readAudit(database, root, { limit: 1 })).toMatchObject([
    { act: "read names", subject: "discord users", detail: { users: 2 } },
  ]);
});

test("an account that somebody opens by other means is not that of the Discord user of an import any more", async () => {
  await imported("4200000000000000003", bob.account.id);
  expect(await names()).toEqual({ [ANN]: "ann", [CLEO]: "cleo" });
});

test("who has come is renamed as oneself, not as the rows that an import brought later", async () => {
  await imported(ANN, (await createAccount(database, "ann-2")).id);
  await renameDiscordUsers(database, root, [[ANN, "Anna"]]);
  expect((await names())[ANN]).toBe("Anna");
});

test("each account is renamed by itself, and why one is not is told", async () => {
  await link("43", bob.account.id);
  const done = await renameDiscordUsers(database, root, [
    [ANN, "BOB"],
    ["43", "bob"],
    ["99", "nobody"],
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
    [ANN, expect.stringContaining('already an account "BOB"')],
    ["99", "this Discord account has no account here"],
    ["42", "this Discord account has no account here"],
    [ANN, expect.stringContaining("cannot be a name")],
    [ANN, expect.stringContaining("is reserved")],
  ]);
  expect(await names()).toMatchObject({ [ANN]: "ann", [CLEO]: "@everyone *c*" });
  const log = await readAudit(database, root, { act: "rename", limit: 10 });
  expect(log.map(({ detail }) => detail)).toEqual([
    { before: "Cleo −1", now: "@everyone *c*" },
    { before: "cleo", now: "Cleo −1" },
  ]);
});

test("who was imported and is renamed comes to the account under that name", async () => {
  await renameDiscordUsers(database, root, [[CLEO, "Cleopatra"]]);
  const id = await enter(database, { provider: "discord", subject: CLEO, name: "someone" });
  expect(await database.sql`select name from account where id = ${id}`).toEqual([{ name: "Cleopatra" }]);
});

test("names are for administrators", async () => {
  const refused = { code: "forbidden" };
  await expect(readDiscordNames(database, ann)).rejects.toMatchObject(refused);
  await expect(renameDiscordUsers(database, ann, [[ANN, "x"]])).rejects.toMatchObject(refused);
});
